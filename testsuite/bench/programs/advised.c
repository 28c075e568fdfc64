/* advised.c - loops as they are, and after the advice of memprof advise was followed.
   SPDX-License-Identifier: GPL-3.0-or-later

     advised matmult|jacobi|columns|two-passes|sum plain|followed [N [ROUNDS]]

   matmult     tiling: b is read by columns
   jacobi      tiling: three planes of a cube do not fit the cache
   columns     interchange: a matrix is filled column by column
   two-passes  fusion: two loops go over the same two arrays
   sum         prefetching: one long stream

   Both ways print the same sum.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 32 };

static double *
array (size_t n)
{
  double *a = malloc (n * sizeof *a);
  for (size_t i = 0; i < n; i++)
    a[i] = i % 97;
  return a;
}

static double
total (const double *a, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += a[i];
  return sum;
}

static int
least (int a, int b)
{
  return a < b ? a : b;
}

__attribute__ ((noinline)) static void
matmult (int n, double *c, const double *a, const double *b)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
	double sum = 0;
	for (int k = 0; k < n; k++)
	  sum += a[i * n + k] * b[k * n + j];
	c[i * n + j] = sum;
      }
}

__attribute__ ((noinline)) static void
matmult_tiled (int n, double *c, const double *a, const double *b)
{
  memset (c, 0, (size_t) n * n * sizeof *c);
  for (int kk = 0; kk < n; kk += TILE)
    for (int jj = 0; jj < n; jj += TILE)
      for (int i = 0; i < n; i++)
	for (int j = jj; j < least (jj + TILE, n); j++)
	  {
	    double sum = c[i * n + j];
	    for (int k = kk; k < least (kk + TILE, n); k++)
	      sum += a[i * n + k] * b[k * n + j];
	    c[i * n + j] = sum;
	  }
}

static void
jacobi_part (int n, double *to, const double *from, int j0, int j1, int k0, int k1)
{
  for (int i = 1; i < n - 1; i++)
    for (int j = j0; j < j1; j++)
      for (int k = k0; k < k1; k++)
	{
	  const double *at = from + ((size_t) i * n + j) * n + k;
	  to[((size_t) i * n + j) * n + k]
	    = (at[-1] + at[1] + at[-n] + at[n] + at[-n * n] + at[n * n]) / 6;
	}
}

__attribute__ ((noinline)) static void
jacobi (int n, double *to, const double *from)
{
  jacobi_part (n, to, from, 1, n - 1, 1, n - 1);
}

__attribute__ ((noinline)) static void
jacobi_tiled (int n, double *to, const double *from)
{
  for (int j = 1; j < n - 1; j += TILE)
    for (int k = 1; k < n - 1; k += TILE)
      jacobi_part (n, to, from, j, least (j + TILE, n - 1), k, least (k + TILE, n - 1));
}

__attribute__ ((noinline)) static void
columns (int n, double *a)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[(size_t) i * n + j] += i ^ j;
}

__attribute__ ((noinline)) static void
rows (int n, double *a)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[(size_t) i * n + j] += i ^ j;
}

__attribute__ ((noinline)) static void
two_passes (size_t n, double *restrict a, double *restrict b)
{
  for (size_t i = 0; i < n; i++)
    a[i] = a[i] * 0.5 + b[i];
  for (size_t i = 0; i < n; i++)
    b[i] = b[i] * 0.5 + a[i];
}

__attribute__ ((noinline)) static void
one_pass (size_t n, double *restrict a, double *restrict b)
{
  for (size_t i = 0; i < n; i++)
    {
      a[i] = a[i] * 0.5 + b[i];
      b[i] = b[i] * 0.5 + a[i];
    }
}

__attribute__ ((noinline)) static double
sum_ahead (size_t n, const double *a)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    {
      __builtin_prefetch (a + i + 64);
      sum += a[i];
    }
  return sum;
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  const char *what = argv[1];
  int followed = strcmp (argv[2], "followed") == 0;
  int n = argc > 3 ? atoi (argv[3]) : 512;
  int rounds = argc > 4 ? atoi (argv[4]) : 1;
  size_t size = strcmp (what, "jacobi") == 0 ? (size_t) n * n * n : (size_t) n * n;
  double *a = array (size), *b = array (size), *c = array (size), sum = 0;
  for (int r = 0; r < rounds; r++)
    if (strcmp (what, "matmult") == 0)
      (followed ? matmult_tiled : matmult) (n, c, a, b);
    else if (strcmp (what, "jacobi") == 0)
      (followed ? jacobi_tiled : jacobi) (n, c, a);
    else if (strcmp (what, "columns") == 0)
      (followed ? rows : columns) (n, c);
    else if (strcmp (what, "two-passes") == 0)
      (followed ? one_pass : two_passes) (size, b, c);
    else if (strcmp (what, "sum") == 0)
      sum += followed ? sum_ahead (size, a) : total (a, size);
    else
      return 2;
  printf ("%.6g\n", sum + total (b, size) + total (c, size));
  return 0;
}
