/* relax.c - sweeps over grids that no cache holds: each writes a grid that the next one reads.
   SPDX-License-Identifier: GPL-3.0-or-later

     relax SIDE ROUNDS

   A sweep fetches each line of the grid that it writes, in vain: it writes all of it, and the caches have lost
   it when the next sweep comes.  By hand: non-temporal stores, as for instance STREAM's users write them.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAND
#include <emmintrin.h>
static inline void put (double *to, double value)
{
  long long bits;
  memcpy (&bits, &value, sizeof bits);
  _mm_stream_si64 ((long long *) to, bits);
}
#define END_OF_SWEEP() _mm_sfence ()
#else
#define put(to, value) (*(to) = (value))
#define END_OF_SWEEP() ((void) 0)
#endif

__attribute__ ((noinline)) static void
blend (double *restrict to, const double *restrict a, const double *restrict b, long n)
{
  for (long i = 0; i < n; i++)
    put (&to[i], a[i] + 0.25 * b[i]);
  END_OF_SWEEP ();
}

__attribute__ ((noinline)) static void
relax (double *restrict to, const double *restrict from, long side)
{
  for (long i = 1; i < side - 1; i++)
    for (long j = 1; j < side - 1; j++)
      {
	const double *p = &from[i * side + j];
	put (&to[i * side + j], 0.25 * (p[-1] + p[1] + p[-side] + p[side]));
      }
  END_OF_SWEEP ();
}

int
main (int argc, char **argv)
{
  long side = argc > 1 ? atol (argv[1]) : 1000, n = side * side;
  int rounds = argc > 2 ? atoi (argv[2]) : 10;
  double *a = malloc (n * sizeof *a), *b = malloc (n * sizeof *b), *c = malloc (n * sizeof *c);
  for (long i = 0; i < n; i++)
    a[i] = i % 17, b[i] = i % 13, c[i] = 0;
  for (int t = 0; t < rounds; t++)
    {
      relax (c, a, side);
      relax (b, c, side);
      blend (a, b, c, n);
      for (long i = 0; i < n; i += 4096)
	a[i] /= 1.5;
    }
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum += a[i];
  printf ("%.17g\n", sum);
  return 0;
}
