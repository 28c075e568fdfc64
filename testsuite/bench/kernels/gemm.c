/* gemm.c - dense matrix product, rows times rows of the transposed matrix.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: gemm [N]  */
#include <stdio.h>
#include <stdlib.h>

static void
multiply (int n, double *restrict c, const double *a, const double *b)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      {
	double x = a[i * n + k];
	for (int j = 0; j < n; j++)
	  c[i * n + j] += x * b[k * n + j];
      }
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 1200;
  if (n < 1 || n > 20000)
    return 2;
  size_t cells = (size_t) n * n;
  double *a = calloc (cells, sizeof *a), *b = calloc (cells, sizeof *b);
  double *c = calloc (cells, sizeof *c);
  if (!a || !b || !c)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
	a[i * n + j] = (i * j) % 7 + 1;
	b[i * n + j] = (i + j) % 5 - 2;
      }
  multiply (n, c, a, b);
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += c[i * n + j] * (i - j);
  printf ("%.6e\n", sum);
  return 0;
}
