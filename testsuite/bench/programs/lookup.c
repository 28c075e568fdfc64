/* lookup.c - values and ranges looked up in large sorted arrays.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: lookup [BITS [SEED [QUERIES]]]        about 2^BITS entries

   A curve is given by its values at 2^BITS places, which are not evenly spaced; between
   them it is straight.  A query asks for its value at one place, and how many of as many
   dates lie in a range.  Both are binary searches, one with two bounds, the other with
   a base and a length; each step waits for the element of the one before.

   With -DHAND_PREFETCH: what a person would insert, as a yardstick.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HAND_PREFETCH
#define BOTH(p, q) (__builtin_prefetch (p), __builtin_prefetch (q))
#else
#define BOTH(p, q) ((void) 0)
#endif

static uint64_t state;

static uint64_t
next_random (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static void *
checked (void *p)
{
  if (!p)
    exit (2);
  return p;
}

/* Where PLACE lies: at least at[result], less than at[result + 1].  */

__attribute__ ((noinline)) static long
interval (const double *at, long n, double place)
{
  long low = 0, high = n - 1, length = high;
  while (length > 1)
    {
      long middle = low + length / 2;
      BOTH (&at[middle + (high - middle) / 2], &at[low + (middle - low) / 2]);
      if (at[middle] > place)
	high = middle;
      else
	low = middle;
      length = high - low;
    }
  return low;
}

/* How many of the N dates come before DAY.  */

__attribute__ ((noinline)) static long
rank (const uint64_t *dates, long n, uint64_t day)
{
  const uint64_t *base = dates;
  while (n > 0)
    {
      long half = n / 2;
      BOTH (&base[half + 1 + (n - half - 1) / 2], &base[half / 2]);
      if (base[half] < day)
	{
	  base += half + 1;
	  n -= half + 1;
	}
      else
	n = half;
    }
  return base - dates;
}

int
main (int argc, char **argv)
{
  int bits = argc > 1 ? atoi (argv[1]) : 20;
  state = (argc > 2 ? strtoull (argv[2], NULL, 10) : 1) * 2654435761u + 1;
  int queries = argc > 3 ? atoi (argv[3]) : 100000;
  if (bits < 4 || bits > 26 || queries < 1)
    {
      fprintf (stderr, "usage: lookup [BITS 4..26 [SEED [QUERIES]]]\n");
      return 2;
    }
  // Not a power of two, at which all first steps would be of one set of the cache.
  long n = (1l << bits) - (1l << bits) / 7;
  double *at = checked (malloc (n * sizeof *at));
  float *value = checked (malloc (n * sizeof *value));
  uint64_t *dates = checked (malloc (n * sizeof *dates)), last = 0;
  for (long i = 0; i < n; i++)
    {
      last += 1 + next_random () % 1000;
      at[i] = dates[i] = last;
      value[i] = next_random () % 1000;
    }
  double sum = 0;
  long found = 0;
  for (int i = 0; i < queries; i++)
    {
      double place = next_random () % last;
      long k = interval (at, n, place);
      sum += value[k] + (place - at[k]) / (at[k + 1] - at[k]) * (value[k + 1] - value[k]);
      uint64_t day = next_random () % last;
      found += rank (dates, n, day + 30000) - rank (dates, n, day);
    }
  printf ("lookup: %ld entries, mean %.6f, %ld dates\n", n, sum / queries, found);
  return 0;
}
