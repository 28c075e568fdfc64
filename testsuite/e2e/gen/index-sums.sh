#!/bin/sh
# index-sums.sh - addresses that differ in the constant added to a narrow unsigned
# index share a word and the index, also when it wraps around.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)

cat >a.c <<'END'
static unsigned char text[300];
static unsigned short twice[300];
__attribute__ ((noipa)) static int		/* all three exits have such records */
same (const unsigned char *t, unsigned i, unsigned j)
{
  if (t[i] != t[j])
    return 1;
  i++, j++;
  if (t[i] != t[j])
    return 2;
  i++, j++;
  if (t[i] != t[j])
    return 3;
  i++, j++;
  return t[i] == t[j] ? 0 : 4;
}
__attribute__ ((noipa)) static int		/* wraps around at 256 */
narrow (const unsigned short *t, unsigned char i)
{
  int sum = t[i];
  sum += t[(unsigned char) (i + 1)];
  sum += t[(unsigned char) (i - 1)];
  return sum + t[(unsigned char) (i + 100)];
}
int
main (void)
{
  int sum = 0;
  for (unsigned i = 0; i < 300; i++)
    text[i] = i % 7 % 4, twice[i] = i;
  for (unsigned i = 0; i < 290; i++)
    sum += same (text, i, i * 31 % 290) + narrow (twice, i);
  return sum == 0;
}
END
levels_agree a.c
compile_gen -O2 a.c -o prog
run -o "file=s" ./prog
"$backend" --counts s >counts
# Four accesses of narrow: an address and the index; all of same: two of each.
expect counts ' 4  *3  .* BLOCK narrow'
expect counts ' 8  *5  .* BLOCK same'
