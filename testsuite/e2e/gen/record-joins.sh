#!/bin/sh
# record-joins.sh - accesses of several blocks go into one record, in order.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)

cat >a.c <<'END'
unsigned short prev[64] = { 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
unsigned char window[64];
__attribute__ ((noipa)) int
chain (const unsigned char *end, int i, int n)
{
  int hits = 0;
  do
    {
      if (window[i + n] == *end && window[i] == 7)
        hits++;
    }
  while ((i = prev[i]) > 0);
  return hits;
}
int
main (void)
{
  window[9] = 1;
  return chain (window + 30, 10, 5);
}
END
compile_gen a.c -o a
run -o file=s ./a
"$backend" --dump s >dump
# 10 iterations; in each one record, whichever path is taken; window[i] in 9.
expect_equal "records of chain" "$(grep -c 'BLOCK chain .*iteration' dump)" 10
# One in front, which says that the loop begins, and one that says that it ends.
expect_equal "records of chain" "$(grep -c 'BLOCK chain' dump)" 12
expect_equal "first access" "$(grep -A1 'BLOCK chain .*iteration' dump | grep -c 'window\[i+n\]')" 10
expect_equal "second access" "$(grep -c ' window\[i\] ' dump)" 9
expect_equal "last access" "$(grep -B1 'BLOCK chain' dump | grep -c 'prev\[i\]')" 10
"$backend" --counts s >counts
expect_equal "records counted" "$(sed -n '1s/ .*//p' counts)" "$(grep -cE '(BLOCK|RANGE) ' dump)"
expect_equal "iterations counted" "$(awk '/BLOCK i chain/ { n += $1 } END { print n }' counts)" 10
