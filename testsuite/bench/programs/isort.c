/* isort.c - integer sort by counting: keys are ranked, as in the benchmark IS.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: isort [BITS [SEED [ROUNDS]]]     2^BITS keys below 2^BITS

   Each round changes some keys, counts how often each occurs, adds up the
   counters and puts each key where it belongs: two passes of random accesses
   over the counters and one over the output.

   With -DHAND: all arrays on huge pages, as a yardstick.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "hand_arena.h"

static uint64_t state;

static uint64_t
next_random (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint32_t *
array (size_t count)
{
#ifdef HAND
  return hand_array (count * sizeof (uint32_t));
#else
  uint32_t *p = calloc (count, sizeof *p);
  if (!p)
    exit (2);
  return p;
#endif
}

static void
rank (const uint32_t *keys, uint32_t *counters, uint32_t *sorted, size_t n)
{
  for (size_t i = 0; i < n; i++)
    counters[i] = 0;
  for (size_t i = 0; i < n; i++)
    counters[keys[i]]++;
  uint32_t before = 0;
  for (size_t i = 0; i < n; i++)
    {
      uint32_t here = counters[i];
      counters[i] = before;
      before += here;
    }
  for (size_t i = 0; i < n; i++)
    sorted[counters[keys[i]]++] = keys[i];
}

int
main (int argc, char **argv)
{
  int bits = argc > 1 ? atoi (argv[1]) : 25;
  state = (argc > 2 ? strtoull (argv[2], NULL, 10) : 1) * 2654435761u + 1;
  int rounds = argc > 3 ? atoi (argv[3]) : 3;
  if (bits < 4 || bits > 30 || rounds < 1)
    {
      fprintf (stderr, "usage: isort [BITS 4..30 [SEED [ROUNDS]]]\n");
      return 2;
    }
  size_t n = (size_t) 1 << bits;
  uint32_t *keys = array (n), *counters = array (n), *sorted = array (n);
  uint64_t check = 0;
  for (size_t i = 0; i < n; i++)
    keys[i] = next_random () & (n - 1);
  for (int r = 0; r < rounds; r++)
    {
      keys[r] = n - 1 - r;
      rank (keys, counters, sorted, n);
      for (size_t i = 1; i < n; i++)
	check += (sorted[i - 1] > sorted[i]) + (sorted[i] ^ i);
    }
  printf ("isort: %zu keys, check %llx\n", n, (unsigned long long) check);
  return 0;
}
