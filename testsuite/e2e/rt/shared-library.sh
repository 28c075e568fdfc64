#!/bin/sh
# shared-library.sh - instrumented libraries: linked, in a plain program, dlopened.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >lib.c <<'END'
static volatile int hits[4];
int
touch (int i)
{
  hits[i & 3]++;
  return hits[i & 3];
}
END
cat >main.c <<'END'
int touch (int);
int
main (void)
{
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += touch (i);
  return sum == 12 ? 0 : 1;
}
END
cat >load.c <<'END'
#include <dlfcn.h>
int
main (void)
{
  for (int round = 0; round < 3; round++)
    {
      void *library = dlopen ("./liblib.so", RTLD_NOW);
      int (*touch) (int) = library ? (int (*) (int)) dlsym (library, "touch") : 0;
      if (!touch || touch (1) != 1)
        return 1;
      dlclose (library);
    }
  return 0;
}
END
compile_gen -fPIC -shared lib.c -o liblib.so
compile_gen main.c -L. -llib -Wl,-rpath,. -o both
compile_plain main.c -L. -llib -Wl,-rpath,. -o plainmain
compile_plain load.c -ldl -o load
for program in both plainmain; do
  run ./$program
  validate $program.memprof.json
  expect_json $program.memprof.json <<'END'
equal([s["executions"] for s in sites(module="lib.c")], [8, 8, 8])
equal(points_to(site(line=6)), [(group("hits"), 8)])
END
done
run ./load
validate load.memprof.json
expect_json load.memprof.json 'equal(site(line=6, module="lib.c")["executions"], 3)'
