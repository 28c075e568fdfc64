#!/bin/sh
# plain-calls.sh - calls that run no code of the program end no record, and no
# range; the program's own function of such a name does.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)

cat >a.c <<'END'
#include <ctype.h>
#include <math.h>
#include <string.h>
double x[50], y[50];
static struct part { int used; char name[20]; int next; } parts[2];
#ifdef OWN
__attribute__ ((noipa)) double
exp (double v)
{
  static int calls;
  calls++;
  return 1 + v;
}
#endif
__attribute__ ((noipa)) void
powers (int n)
{
  for (int i = 0; i < n; i++)
    y[i] = exp (x[i]) + sqrt (x[i]);
}
__attribute__ ((noipa)) int
name (struct part *p, const char *text, int n)
{
  p->used = n;
  memcpy (p->name, text, n);
  p->next = p->name[3] == 'd' && isalpha ((unsigned char) p->name[2]);
  return p->next;
}
int
main (void)
{
  powers (50);
  return name (parts, "abcd", 4 + (x[3] > 1)) && y[7] == 1 ? 0 : 1;
}
END
compile_gen -fchecking a.c -o a -lm
run -o file=s ./a
"$backend" --dump s >dump
expect_equal "ranges of powers" "$(grep -c 'RANGE powers .*count 50' dump)" 1
expect_equal "records of name" "$(grep -c 'BLOCK name' dump)" 1
expect_equal "order in name" "$(sed -n '/BLOCK name/,/next/p' dump | awk 'NR > 1 { printf "%s %s,", $2, $NF }')" \
  "store 4,load 4,store 4,load 1,load 8,load 1,load 2,store 4,"
compile_gen -fchecking -DOWN -fno-builtin-exp a.c -o own -lm
rm -f s; run -o file=s ./own
"$backend" --dump s >dump
expect_equal "ranges of powers" "$(grep -c 'RANGE powers' dump || :)" 0
expect_equal "loads in front of exp" "$(grep -B1 'BLOCK exp' dump | grep -c 'load .*x\[i\]')" 50
