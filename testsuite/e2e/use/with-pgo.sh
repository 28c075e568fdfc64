#!/bin/sh
# use/with-pgo.sh - together with GCC's own profile: one build and one run make both profiles, a
# second build uses both, with -flto and -O3 too.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
enum { N = 1 << 20, ROUNDS = 1 << 16 };
static __attribute__ ((noinline)) long
gather (long *a, unsigned *b)
{
  long sum = 0;
  for (int i = 0; i < ROUNDS; i++)
    if (a[b[i]]) sum += i;
  return sum;
}
__attribute__ ((noinline)) int
rarely (int i) { if (i == 7) puts ("seven"); return i; }
int main (void)
{
  long *a = calloc (N, sizeof *a);
  unsigned *b = malloc (ROUNDS * sizeof *b), x = 1;
  for (int i = 0; i < N; i++) a[i] = i & 1;
  for (int i = 0; i < ROUNDS; i++) b[i] = (x = x * 1664525 + 1013904223) >> 12;
  printf ("%ld %d\n", gather (a, b), rarely (7));
  return 0;
}
END
compile_plain a.c -o plain
for level in -O2 -O3 '-O2 -flto'; do
  rm -f ./*.gcda ./*.memprof.json remarks
  # shellcheck disable=SC2086
  compile -specs="$specs" $level -g -fchecking -fprofile-generate -fprofile-mem-generate \
    -fprofile-mem-mode=full a.c -o a
  same_output ./plain ./a
  expect_file a.memprof.json
  validate a.memprof.json
  # shellcheck disable=SC2086
  compile -specs="$specs" $level -g -fchecking -Werror -fprofile-use -fprofile-mem-use \
    -fprofile-mem-remarks=remarks -fdump-tree-optimized-blocks a.c -o a 2>err
  same_output ./plain ./a
  cat err
  expect_not err 'was profiled with'
  "$memprof" check a.memprof.json remarks >out || true
  cat out
  expect out '^100.0 % of '
  expect remarks '"kind":"prefetch","taken":true,.*"expression":"a\[b\[i\]\]"'
done
