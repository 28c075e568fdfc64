#!/bin/sh
# lto.sh - link-time optimisation, slim and fat objects, in one and two steps.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int pick (int), table[16];
int
main (void)
{
  int sum = 0;
  for (int i = 0; i < 16; i++)
    table[i] = i;
  for (int i = 0; i < 10; i++)
    sum += pick (i);
  return sum == 45 ? 0 : 1;
}
END
cat >b.c <<'END'
extern int table[16];
__attribute__ ((noinline)) int pick (int i) { return table[i]; }
END
for fat in -fno-fat-lto-objects -ffat-lto-objects; do
  compile_gen -flto $fat -c a.c -o a.o
  compile_gen -flto $fat -c b.c -o b.o
  compile_gen -flto $fat a.o b.o -o a
  rm -f a.memprof.json
  run ./a
  validate a.memprof.json
  expect_json a.memprof.json <<'END'
s = site(line=2, kind="load", module="b.c")
equal(s["executions"], 10)
equal(dep(site(line=7, kind="store", module="a.c"), s)["count"], 10)
END
done
compile_gen -flto a.c b.c -o one
run ./one
expect_json one.memprof.json 'equal(site(line=2, module="b.c")["executions"], 10)'
# The code of fat objects is instrumented for links without -flto too.
compile_gen -fno-lto a.o b.o -o fat
run ./fat
expect_json fat.memprof.json 'equal(site(line=2, module="b.c")["executions"], 10)'
