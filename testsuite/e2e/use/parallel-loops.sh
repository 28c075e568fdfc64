# parallel-loops.sh - loops that -ftree-parallelize-loops takes out are no functions of their own.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main (void)
{
  int n = 20000, *a = malloc (n * sizeof *a);
  unsigned s = 0;
  for (int i = 0; i < n; i++)
    a[i] = (i * 7919) ^ (i >> 3);
  for (int i = 0; i < n; i++)
    s = s * 3 + a[i];
  printf ("%u\n", s);
  return 0;
}
END
flags='-O3 -ftree-parallelize-loops=2'
compile_plain $flags a.c -o plain
run ./plain
mv out expected
for mode in full sample; do
  compile_gen $flags -fprofile-mem-mode=$mode a.c -o a
  run ./a
  cmp out expected || fail "$mode: other output"
  expect_json a.memprof.json 'check(not [f for f in p["modules"][0]["functions"] if "_loopfn" in f["name"]], p["modules"])'
  compile_use -fprofile-mem-use=a.memprof.json $flags -fopt-info a.c -o b 2>err
  expect err 'parallelizing'
  expect_not err 'have changed'
  run ./b
  cmp out expected || fail "$mode: other output when rebuilt"
  rm a.memprof.json
done
