#!/bin/sh
# latch-words.sh - what a record takes from one iteration to the next has the
# addresses of the iteration that it was executed in.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
static unsigned ptr[100], calls;
__attribute__ ((noipa)) static int
greater (unsigned x, unsigned y)
{
  calls++;
  return x > y;
}
__attribute__ ((noipa)) static void		/* the header calls: records go round */
sort (int lo, int hi, int h)
{
  for (int i = lo + h; i <= hi; i++)
    {
      unsigned v = ptr[i];
      int j = i;
      while (greater (ptr[j - h], v))
	{
	  ptr[j] = ptr[j - h];
	  j = j - h;
	  if (j <= lo + h - 1)
	    break;
	}
      ptr[j] = v;
    }
}
int
main (void)
{
  for (int i = 0; i < 100; i++)
    ptr[i] = i * 37 % 100;
  sort (0, 99, 4);
  sort (0, 99, 1);
  return 0;
}
END
levels_agree a.c
