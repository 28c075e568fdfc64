/* gather.c - a[b[i]] at random places: worth a prefetch, and huge pages; no vectors.
   SPDX-License-Identifier: GPL-3.0-or-later  */
#include <stdio.h>
#include <stdlib.h>
enum { N = 1 << 22, ROUNDS = 1 << 18 };
static double gather (long *a, unsigned *b)
{
  double sum = 0;
  for (int i = 0; i < ROUNDS; i++)
    if (a[b[i]]) sum += i;
  return sum;
}
int main (void)
{
  long *a = calloc (N, sizeof *a);
  unsigned *b = malloc (ROUNDS * sizeof *b), x = 1;
  for (int i = 0; i < N; i++) a[i] = i % 3 & 1;
  for (int i = 0; i < ROUNDS; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 10;
  printf ("%g\n", gather (a, b));
  return 0;
}
