#!/bin/sh
# nests.sh - loops around affine loops are in their record, if they do nothing else;
# nothing else changes.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)

cat >a.c <<'END'
#include <stdio.h>
static int table[30][50];
static double cube[8][9][11], large[2][40 * 40 * 60], sum;
__attribute__ ((noipa)) static void		/* a constant step, a variable */
fill (int by)
{
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 50; j++)
      table[i][j] = i * by + j;
}
__attribute__ ((noipa)) static void		/* three loops, steps that are not known */
blur (double *to, const double *from, int n, int m)
{
  for (int z = 1; z < n - 1; z++)
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < m - 1; x++)
	to[(z * n + y) * m + x] = from[(z * n + y) * m + x - 1]
				  + from[((z + 1) * n + y) * m + x] * 0.5;
}
__attribute__ ((noipa)) static void		/* more loops than one record takes in */
deep (int *cell)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 5; k++)
	for (int l = 0; l < 4; l++)
	  for (int m = 0; m < 25; m++)
	    cell[i * 10 + j * 60 + k * 3 + l * 200 + m] += i;
}
__attribute__ ((noipa)) static void		/* a pointer that moves, downwards */
shift (int *row, int rows)
{
  do
    {
      for (int j = 48; j >= 0; j--)
	row[j + 1] = row[j];
      row -= 50;
    }
  while (--rows > 0);
}
__attribute__ ((noipa)) static void		/* no nest: an access of its own */
totals (int *out)
{
  for (int i = 0; i < 30; i++)
    {
      int s = 0;
      for (int j = 0; j < 50; j++)
	s += table[i][j];
      out[i] = s;
    }
}
__attribute__ ((noipa)) static void		/* no nest: a triangle */
triangle (void)
{
  for (int i = 0; i < 30; i++)
    for (int j = 0; j <= i; j++)
      table[i][j]++;
}
int
main (void)
{
  int out[30];
  static double other[8 * 8 * 11];
  for (int n = 1; n < 4; n++)
    {
      fill (n);
      blur (other, &cube[0][0][0], 8, 11);
      blur (&cube[0][0][0], other, 8, 11);
      blur (other, &cube[0][0][0], 8, n);	/* no iterations, or none but outer ones */
      deep (table[0]);
      shift (table[29], 30 - n);
      totals (out);
      triangle ();
      sum += out[n] + other[100];
    }
  blur (large[0], large[1], 40, 60);		/* is published at once */
  printf ("%f\n", sum);
  return 0;
}
END
for o in -O1 -O2 -O3; do
  compile $o a.c -o plain
  ./plain >plain.out
  for level in nest range; do
    profile_at_level $level $o a.c
    run -o "file=$level$o.s" ./prog
  done
  same_profiles range.memprof.json nest.memprof.json
  "$backend" --counts "nest$o.s" >counts
  for function in fill blur deep shift; do
    expect counts " NEST *$function"
  done
  expect_not counts ' NEST *totals'
  expect_not counts ' NEST *triangle'
done
# Of 30 times 50 iterations it is known that they are few.
compile_gen -O2 -S a.c -o a.s
expect_equal "calls that publish" "$(calls __mprt_publish a.s)" 2
"$backend" --dump nest-O2.s >dump
expect dump '^T0 NEST fill loop [0-9]* count 30$'
expect dump '^T0   word 2 moves by 200$'
expect dump '^T0 RANGE blur loop [0-9]* count 9$'
