/* matrix.c - dense matrices: product, update of rows, in plain C.
   SPDX-License-Identifier: GPL-3.0-or-later

     matrix [ROUNDS [N [SEED]]]

   Without restrict the result may be one of the factors, so that the inner
   loops load what they could keep in a register and stay scalar.  -DHAND has
   restrict.  */

#include <stdio.h>
#include <stdlib.h>

#ifdef HAND
#define RESTRICT restrict
#define BY_HAND __attribute__ ((optimize ("O3"), noinline))
#else
#define RESTRICT
#define BY_HAND __attribute__ ((noinline))
#endif

struct matrix
{
  int n;
  float *at;
};

static struct matrix
make (int n, unsigned seed)
{
  struct matrix m = { n, malloc (sizeof (float) * n * n) };
  if (!m.at) exit (1);
  for (int i = 0; i < n * n; i++)
    m.at[i] = ((seed = seed * 1664525 + 1013904223) >> 16) % 17 - 8;
  return m;
}

/* c += a * b.  */

BY_HAND static void
product (const float *RESTRICT a, const float *RESTRICT b, float *RESTRICT c,
	 int n)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
	c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* y += a * x, by columns.  */

BY_HAND static void
apply (const float *RESTRICT a, const float *RESTRICT x, float *RESTRICT y,
       int n)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      y[i] += a[k * n + i] * x[k];
}

/* Keeps the numbers small, and whole, so that every order gives the same.  */

BY_HAND static void
reduce (float *RESTRICT m, const float *RESTRICT limit, int n)
{
  for (int i = 0; i < n * n; i++)
    m[i] = m[i] > *limit ? *limit : m[i] < -*limit ? -*limit : m[i];
}

int
main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 12;
  int n = argc > 2 ? atoi (argv[2]) : 440;
  unsigned seed = argc > 3 ? atoi (argv[3]) : 1;
  struct matrix a = make (n, seed), b = make (n, seed + 1), c = make (n, seed + 2);
  float *x = calloc (n, sizeof *x), *y = calloc (n, sizeof *y), limit = 8, sum = 0;
  if (!x || !y) exit (1);
  for (int round = 0; round < rounds; round++)
    {
      product (a.at, b.at, c.at, n);
      reduce (c.at, &limit, n);
      for (int i = 0; i < n; i++)
	x[i] = c.at[i], y[i] = 0;
      apply (c.at, x, y, n);
      for (int i = 0; i < n; i++)
	sum += (int) y[i] % 1009;
      struct matrix t = a; a = b; b = c; c = t;
    }
  printf ("%g\n", sum);
  return 0;
}
