/* cholesky.c - Cholesky factors of a dense matrix, triangular loops.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: cholesky [N]  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void
factorise (int n, double *a)
{
  for (int i = 0; i < n; i++)
    {
      double *row = a + (size_t) i * n;
      for (int j = 0; j < i; j++)
	{
	  const double *other = a + (size_t) j * n;
	  double sum = row[j];
	  for (int k = 0; k < j; k++)
	    sum -= row[k] * other[k];
	  row[j] = sum / other[j];
	}
      double left = row[i];
      for (int k = 0; k < i; k++)
	left -= row[k] * row[k];
      row[i] = sqrt (left);
    }
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 1900;
  if (n < 1 || n > 20000)
    return 2;
  double *a = calloc ((size_t) n * n, sizeof *a);
  if (!a)
    return 1;
  /* The diagonal is larger than the rest of its row: positive definite.  */
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[(size_t) i * n + j] = i == j ? 2.0 * n : (double) ((i * j) % 17) / 17;
  factorise (n, a);
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      sum += a[(size_t) i * n + j] * (i - j + 1);
  printf ("%.6e\n", sum);
  return 0;
}
