#!/bin/sh
# loop-entries.sh - that a loop begins, iterates and ends stands in the records
# of the accesses around it, in order.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)

cat >a.c <<'END'
static int a[8] = { 5, 3, 4, 1, 2 };
__attribute__ ((noipa)) static int
less (int x, int y)
{
  return x < y;
}
__attribute__ ((noipa)) static void
sort (int n)
{
  for (int i = 1; i < n; i++)
    {
      int v = a[i], j = i;
      while (j > 0 && less (v, a[j - 1]))
        {
          a[j] = a[j - 1];
          j--;
        }
      a[j] = v;
    }
}
int
main (void)
{
  sort (5);
  for (int i = 1; i < 5; i++)
    if (a[i] < a[i - 1])
      return 1;
  return 0;
}
END
compile_gen -fchecking a.c -o a
run -o file=s ./a
"$backend" --dump s >dump
# Up to the second invocation of the inner loop; | begins a record.
sed -n '/BLOCK sort/,$p' dump \
  | sed 's/^T0 BLOCK.* iteration$/|i/; s/^T0 BLOCK.*/|/; s/^T0  *[ls][^ ]* [0-9]* [^ ]* \([^ ]*\) .*/\1/; s/^T0 *//' \
  | tr '\n' ' ' >sort
expect_equal "records of sort" "$(cut -c 1-166 sort)" \
  "| ENTER 0 |i a[i] ENTER 1 ITERATION 1 a[j-1] | a[j-1] a[j] EXIT 1 a[j] |i a[i] ENTER 1 ITERATION 1 a[j-1] | a[j-1] a[j] ITERATION 1 a[j-1] | EXIT 1 a[j] |i a[i] ENTER"
run ./a
expect_json a.memprof.json <<'END'
outer, inner = loop(line=10), loop(line=13)
equal((outer["invocations"], outer["iterations"]), (1, 4))
equal((inner["invocations"], inner["iterations"]), (4, 10))
END
