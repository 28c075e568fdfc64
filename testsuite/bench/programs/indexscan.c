/* indexscan.c - queries on a table through a secondary index.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: indexscan [BITS [SEED [QUERIES]]]        2^BITS records

   The index has the numbers of the records in the order of their dates, the
   records lie in the order of their arrival.  A query goes over a range of dates
   and adds up what passes its conditions: where the next record is, only the
   index knows, and what is in it decides the branches.

   With -DHAND_PREFETCH: what a person would insert, as a yardstick.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct record
{
  uint64_t date;
  uint32_t customer, product;
  int32_t amount, discount;
  uint8_t state, channel;
  char comment[30];
};

struct query
{
  uint32_t first, count;	/* places in the index */
  int32_t least;
  uint8_t state;
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
checked (void *p)
{
  if (!p)
    exit (2);
  return p;
}

/* By date: records come nearly in order, so that buckets do.  */

static uint32_t *
make_index (const struct record *table, uint32_t n)
{
  uint32_t *index = checked (malloc ((n + 64) * sizeof *index));
  uint32_t *start = checked (calloc (n + 1, sizeof *start));
  for (uint32_t i = 0; i < n; i++)
    start[table[i].date % n + 1]++;
  for (uint32_t d = 0; d < n; d++)
    start[d + 1] += start[d];
  for (uint32_t i = 0; i < n; i++)
    index[start[table[i].date % n]++] = i;
  for (uint32_t i = n; i < n + 64; i++)
    index[i] = 0;
  free (start);
  return index;
}

__attribute__ ((noinline)) static int64_t
scan (const struct record *table, const uint32_t *index, const struct query *q,
      uint32_t *matches)
{
  int64_t total = 0;
  uint32_t found = 0;
  for (uint32_t i = q->first, end = q->first + q->count; i < end; i++)
    {
#ifdef HAND_PREFETCH
      __builtin_prefetch (&table[index[i + 24]]);
#endif
      const struct record *r = &table[index[i]];
      if (r->state == q->state)
	{
	  if (r->amount > q->least)
	    total += r->amount - r->discount, found++;
	}
      else if (r->channel & 1)
	total -= r->discount;
    }
  *matches += found;
  return total;
}

int
main (int argc, char **argv)
{
  int bits = argc > 1 ? atoi (argv[1]) : 20;
  state = (argc > 2 ? strtoull (argv[2], NULL, 10) : 1) * 2654435761u + 1;
  int queries = argc > 3 ? atoi (argv[3]) : 100;
  if (bits < 10 || bits > 26 || queries < 1)
    {
      fprintf (stderr, "usage: indexscan [BITS 10..26 [SEED [QUERIES]]]\n");
      return 2;
    }
  uint32_t n = 1u << bits;
  struct record *table = checked (calloc (n, sizeof *table));
  for (uint32_t i = 0; i < n; i++)
    {
      uint64_t r = next_random ();
      table[i].date = r >> 20;
      table[i].customer = r;
      table[i].product = r >> 40;
      table[i].amount = r % 100000;
      table[i].discount = r >> 8 & 255;
      table[i].state = r >> 17 & 1;
      table[i].channel = r >> 18 & 7;
    }
  uint32_t *index = make_index (table, n), matches = 0;
  int64_t total = 0;
  for (int i = 0; i < queries; i++)
    {
      uint64_t r = next_random ();
      struct query q = { r % (n / 2), n / 4 + (r >> 32) % (n / 4),
			 40000 + r % 20000, r >> 63 };
      total += scan (table, index, &q, &matches);
    }
  printf ("indexscan: %u records, %u matches, total %lld\n", n, matches,
	  (long long) total);
  return 0;
}
