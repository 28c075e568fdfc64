#!/bin/sh
# loop-runs.sh - iterations of a loop share records, and nothing else changes: not
# the executions, not their order, not what the program prints.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "no runs"
backend=$(plugin_argument backend)

cat >a.c <<'END'
#include <stdio.h>
struct node { struct node *next; int key; };
static int col[300], table[256], hits[7];
static double x[300], val[300];
static unsigned char text[1000];
__attribute__ ((noinline)) static double	/* invariants, steps, a gather */
row (const double *x, int from, int to)
{
  double sum = 0;
  for (int k = from; k < to; k++)
    sum += val[k] * x[col[k]];
  return sum;
}
__attribute__ ((noinline)) static int		/* nothing advances: no run */
find (struct node *n, int key)
{
  while (n && n->key != key)
    n = n->next;
  return n != 0;
}
__attribute__ ((noinline)) static unsigned	/* two exits, one in the middle */
sum (const unsigned char *s, unsigned end)
{
  unsigned c = 0;
  do
    {
      if (*s == end)
	return c;
      c = table[(c ^ *s) & 255] ^ c >> 8;
    }
  while (*++s != 'z');
  return ~c;
}
__attribute__ ((noinline)) static void		/* downwards; stores that meet */
count (const int *k, int n)
{
  while (--n >= 0)
    hits[k[n] % 7]++;
}
int
main (void)
{
  static struct node list[200];
  double total = 0;
  for (int i = 0; i < 300; i++)
    col[i] = i * 37 % 300, val[i] = i, x[i] = 300 - i;
  for (int i = 0; i < 256; i++)
    table[i] = i * 40503;
  for (int i = 0; i < 999; i++)
    text[i] = 'a' + i % 25;
  text[998] = 'z';
  for (int i = 0; i < 200; i++)
    list[i].key = i, list[i].next = i < 199 ? &list[i * 7 % 200 + 1 == 200 ? 199 : i + 1] : 0;
  for (int n = 0; n < 130; n++)
    total += row (x, n, n + n % 67) + find (list, n) + find (0, n);
  for (int n = 0; n < 30; n++)
    total += sum (text + n, 'a' + n);
  for (int n = 0; n < 300; n += 59)
    count (col, n), count (col, n + 1);
  printf ("%f %d\n", total, hits[3]);
  return 0;
}
END
compile -O2 a.c -o plain
./plain >plain.out
for level in range block; do
  profile_at_level $level -O2 a.c
  run -o "file=$level.s" ./prog
done
same_profiles block.memprof.json range.memprof.json
"$backend" --counts range.s >counts
for function in row sum count; do
  expect counts "RUN i* *$function"
done
expect_not counts 'RUN i* *find'
"$backend" --dump range.s >dump
expect dump 'RUN row.* loop'
