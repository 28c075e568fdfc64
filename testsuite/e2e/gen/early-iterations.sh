#!/bin/sh
# early-iterations.sh - an interpreter's loop iterates at the end of the record of
# each instruction, and nothing else changes.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
plugin=$(plugin_file)
backend=$(plugin_argument backend)

cat >a.c <<'END'
#include <stdio.h>
static long stack[64];
__attribute__ ((noinline)) static long
run (const unsigned char *pc, int n)
{
  static const void *const to[] = { &&end, &&push, &&add, &&jump, &&print };
  long *top = stack;
  int k = 0;
  goto *to[*pc];
push: *top++ = pc[1]; pc += 2; goto *to[*pc];
add: top--; top[-1] += *top; pc++; goto *to[*pc];
jump: if (k++ < n) { pc -= pc[1]; goto *to[*pc]; } pc += 2; goto *to[*pc];
print: printf ("%ld\n", top[-1]); pc++; goto *to[*pc];
end: return top[-1];
}
__attribute__ ((noinline)) static int		/* the header ends in a switch */
count (const int *p, int state)
{
  int sum = 0;
  for (;;)
    switch (state)
      {
      case 0: sum += p[0]; state = p[1]; break;
      case 1: if (p[2] > sum) { state = p[3]; break; } puts ("one"); state = 2; break;
      case 2: sum += p[4]; state = 9; break;
      case 3: while (sum > p[3]) { putchar ('.'); sum -= p[2]; }
	      state = p[5]; break;
      default: return sum;
      }
}
int
main (void)
{
  unsigned char code[] = { 1, 0, 1, 3, 2, 1, 4, 2, 4, 3, 7, 0 };
  int states[] = { 500, 1, 40, 3, 6, 1 };
  long sum = run (code, 20);
  return sum + count (states, 0) > 147 ? 0 : 1;
}
END
for level in access range; do
  compile_gen -fchecking -fplugin="$plugin" -fplugin-arg-memprof-coalesce=$level a.c -o a
  run -o "file=$level" ./a
  "$backend" --dump $level | sed 's/0x[0-9a-f]*//g' >$level.dump
  # What is executed, in which order, by whichever record.
  grep -E ' (load|store|ENTER|ITERATION|EXIT) |BLOCK .*iteration' $level.dump |
    sed 's/BLOCK .* loop \([0-9]*\) iteration/  ITERATION \1/' >$level.events
done
expect_equal "events" "$(cksum <range.events)" "$(cksum <access.events)"
[ "$(grep -c ITERATION range.events)" -gt 130 ] || fail "iterations are missing"
# 129 instructions in 129 iterations; two have two records, around printf and
# in front of the last.
[ "$(grep -c 'BLOCK run' range.dump)" -lt 160 ] || fail "iterations have records of their own"
passed
