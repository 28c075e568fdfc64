/* fft.c - fast Fourier transform, radix 2 in place, there and back.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: fft [BITS [ROUNDS]]               2^BITS complex numbers  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct number
{
  double re, im;
};

static void
reverse_order (struct number *x, unsigned n)
{
  for (unsigned i = 0, j = 0; i < n; i++)
    {
      if (i < j)
	{
	  struct number t = x[i];
	  x[i] = x[j];
	  x[j] = t;
	}
      unsigned bit = n >> 1;
      while (bit && j & bit)
	j ^= bit, bit >>= 1;
      j |= bit;
    }
}

/* ROOT[k] = exp (i 2 pi k / N); SIGN -1 is the inverse.  */
static void
transform (struct number *x, unsigned n, const struct number *root, double sign)
{
  reverse_order (x, n);
  for (unsigned half = 1; half < n; half *= 2)
    for (unsigned start = 0; start < n; start += 2 * half)
      for (unsigned k = 0; k < half; k++)
	{
	  const struct number *w = &root[k * (n / 2 / half)];
	  struct number *a = &x[start + k], *b = a + half;
	  double re = b->re * w->re - sign * b->im * w->im;
	  double im = b->im * w->re + sign * b->re * w->im;
	  b->re = a->re - re;
	  b->im = a->im - im;
	  a->re += re;
	  a->im += im;
	}
}

int
main (int argc, char **argv)
{
  int bits = argc > 1 ? atoi (argv[1]) : 20, rounds = argc > 2 ? atoi (argv[2]) : 10;
  if (bits < 1 || bits > 28)
    return 2;
  unsigned n = 1u << bits;
  struct number *x = calloc (n, sizeof *x), *root = calloc (n / 2 + 1, sizeof *root);
  if (!x || !root)
    return 1;
  for (unsigned k = 0; k < n / 2; k++)
    {
      root[k].re = cos (2 * M_PI * k / n);
      root[k].im = sin (2 * M_PI * k / n);
    }
  for (unsigned i = 0; i < n; i++)
    x[i].re = (double) (i * 2654435761u >> 16) / 65536;
  double sum = 0;
  for (int r = 0; r < rounds; r++)
    {
      transform (x, n, root, 1);
      sum += x[1].re;
      for (unsigned i = 0; i < n; i++)
	x[i].re /= n, x[i].im /= n;
      transform (x, n, root, -1);
    }
  for (unsigned i = 0; i < n; i++)
    sum += x[i].re * (i % 13);
  printf ("%.5e\n", sum);
  return 0;
}
