/* hashjoin.c - join of two tables of a column store on a key.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: hashjoin [BITS [SEED [ROUNDS]]]     2^BITS slots, half of them used

   Builds an open-addressing hash table over the smaller relation and probes it
   with each row of the larger one.  The loop to watch is probe(): keys are
   consecutive, their slots are anywhere, and what is found decides a branch.

   With -DHAND_PREFETCH: what a person would insert, as a yardstick.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct slot
{
  uint64_t key;			/* 0: empty */
  uint64_t payload;
};

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
allocate (size_t count, size_t size)
{
  void *p = calloc (count, size);
  if (!p)
    {
      fprintf (stderr, "hashjoin: out of memory\n");
      exit (2);
    }
  return p;
}

static inline uint64_t
hash (uint64_t key, int shift)
{
  return key * 0x9e3779b97f4a7c15u >> shift;
}

static void
build (struct slot *table, int shift, uint64_t mask, const uint64_t *keys,
       uint64_t rows)
{
  for (uint64_t i = 0; i < rows; i++)
    {
      uint64_t h = hash (keys[i], shift);
      while (table[h].key && table[h].key != keys[i])
	h = (h + 1) & mask;
      table[h].key = keys[i];
      table[h].payload += i + 1;
    }
}

static uint64_t
probe (const struct slot *table, int shift, uint64_t mask,
       const uint64_t *keys, uint64_t rows, uint64_t *matches)
{
  uint64_t sum = 0, found = 0;
  for (uint64_t i = 0; i < rows; i++)
    {
#ifdef HAND_PREFETCH
      if (i + 16 < rows)
	__builtin_prefetch (&table[hash (keys[i + 16], shift)]);
#endif
      uint64_t key = keys[i];
      uint64_t h = hash (key, shift);
      while (table[h].key && table[h].key != key)
	h = (h + 1) & mask;
      if (table[h].key == key)
	{
	  sum += table[h].payload ^ i;
	  found++;
	}
    }
  *matches += found;
  return sum;
}

int
main (int argc, char **argv)
{
  int bits = argc > 1 ? atoi (argv[1]) : 24;
  state = argc > 2 ? strtoull (argv[2], NULL, 10) * 2654435761u + 1 : 88172645463325252u;
  int rounds = argc > 3 ? atoi (argv[3]) : 4;
  if (bits < 4 || bits > 30 || rounds < 1)
    {
      fprintf (stderr, "usage: hashjoin [BITS 4..30 [SEED [ROUNDS]]]\n");
      return 2;
    }

  uint64_t slots = (uint64_t) 1 << bits, rows = slots / 2;
  struct slot *table = allocate (slots, sizeof *table);
  uint64_t *inner = allocate (rows, sizeof *inner);
  uint64_t *outer = allocate (rows, sizeof *outer);
  uint64_t matches = 0, sum = 0;
  for (uint64_t i = 0; i < rows; i++)
    inner[i] = (next_random () & (4 * slots - 1)) | 1;
  build (table, 64 - bits, slots - 1, inner, rows);
  for (int r = 0; r < rounds; r++)
    {
      for (uint64_t i = 0; i < rows; i++)
	outer[i] = (next_random () & (4 * slots - 1)) | 1;
      sum += probe (table, 64 - bits, slots - 1, outer, rows, &matches);
    }
  printf ("hashjoin: %llu slots, %llu matches, check %llx\n",
	  (unsigned long long) slots, (unsigned long long) matches,
	  (unsigned long long) sum);
  return 0;
}
