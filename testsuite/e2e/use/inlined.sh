# use/inlined.sh - a rebuild that inlines in another way finds accesses and allocation calls
# by their places in the source.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
enum { N = 1 << 22, ROUNDS = 1 << 17 };
static inline long *table (int n) { return calloc (n, sizeof (long)); }
static inline long
gather (long *a, unsigned *b)
{
  long sum = 0;
  for (int i = 0; i < ROUNDS; i++)
    if (a[b[i]]) sum += i;
  return sum;
}
int main (void)
{
  long *a = table (N);
  unsigned *b = malloc (ROUNDS * sizeof *b), x = 1;
  for (int i = 0; i < N; i++) a[i] = i & 1;
  for (int i = 0; i < ROUNDS; i++) b[i] = (x = x * 1664525 + 1013904223) >> 10;
  printf ("%ld\n", gather (a, b));
  return 0;
}
END
compile_plain a.c -o plain
# rebuilt GENERATE USE: profiled with the flags GENERATE, and rebuilt with USE.
rebuilt ()
{
  rm -f ./*.memprof.json remarks
  # shellcheck disable=SC2086
  compile -specs="$specs" -O2 -g -fno-tree-vectorize $1 -fprofile-mem-generate -fprofile-mem-mode=full a.c -o a
  run ./a
  # shellcheck disable=SC2086
  compile -specs="$specs" -O2 -g -fno-tree-vectorize $2 -fchecking -fprofile-mem-use -fprofile-mem-remarks=remarks a.c -o a
  same_output ./plain ./a
  expect remarks '"line":10,.*"kind":"prefetch","taken":true'
  expect remarks '"line":4,.*"kind":"huge-pages","taken":true'
  "$memprof" check a.memprof.json remarks >out
  expect out '^(9[0-9]|100)\.[0-9] % of [0-9,]* executions used'
}
rebuilt -fno-inline ''
rebuilt '' -fno-inline
passed
