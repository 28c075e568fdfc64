/* jacobi.c - two-dimensional five-point stencil.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: jacobi [N [STEPS]]  */
#include <stdio.h>
#include <stdlib.h>

static void
step (int n, double *restrict to, const double *from)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      {
	const double *at = from + i * n + j;
	to[i * n + j] = 0.2 * (at[0] + at[-1] + at[1] + at[-n] + at[n]);
      }
}

static void
copy_inside (int n, double *restrict to, const double *from)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      to[i * n + j] = from[i * n + j];
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 1500;
  int steps = argc > 2 ? atoi (argv[2]) : 200;
  if (n < 3 || n > 20000)
    return 2;
  size_t cells = (size_t) n * n;
  double *a = calloc (cells, sizeof *a), *b = calloc (cells, sizeof *b);
  if (!a || !b)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i * n + j] = (double) ((i * 31 + j * 17) % 101) / 101;
  for (int t = 0; t < steps; t++)
    {
      step (n, b, a);
      copy_inside (n, a, b);
    }
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += a[i * n + j] * (i + 2 * j);
  printf ("%.9e\n", sum);
  return 0;
}
