# use/indirect.sh - a[b[i]] beyond the cache gets one prefetch, with a remark.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
enum { N = 1 << 20, ROUNDS = 1 << 17 };
struct node { long key, value; };
int main (void)
{
  struct node *a = calloc (N, sizeof *a);
  unsigned *b = malloc (ROUNDS * sizeof *b);
  unsigned x = 1;
  double sum = 0;
  for (int i = 0; i < N; i++) a[i].key = i;
  for (int i = 0; i < ROUNDS; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 12;
  for (int i = 0; i < ROUNDS; i++)
    if (a[b[i]].key & 1) sum += a[b[i]].key;
  printf ("%g\n", sum);
  return 0;
}
END
compile_plain a.c -o plain
for level in -O1 -O2 -O3; do
  # The sites are those of the level that the profile was made with.
  COMPILER="$CC" compile_gen $level a.c -o a
  run ./a
  compile_use $level -fno-unroll-loops -fchecking a.c -o use -fopt-info-optimized=remarks \
    -fprofile-mem-remarks=remarks.json
  expect_equal "prefetches at $level" \
    "$(objdump -d use | grep -cE "prefetch|prfu?m")" 1
  expect remarks 'a.c:15:.* optimized: .*indirect prefetch [0-9]+ iterations ahead:.* 131072 executions, span [0-9.]+ MB'
  same_output ./plain ./use
  rm -f remarks a.memprof.json
done
expect remarks.json '"kind":"prefetch","taken":true,"reason":"taken","distance":[1-9]'
"$PYTHON" -c 'import json, sys
for line in open("remarks.json"): json.loads(line)'
