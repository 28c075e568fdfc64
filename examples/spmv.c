/* spmv.c - PageRank-like iteration with a sparse matrix and a frontier.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: spmv [BITS [SEED [ROUNDS]]]          2^BITS rows, 16 entries each

   y[i] = sum over the entries (i, j) of a[i][j] * x[j].value, skipping columns
   that have converged: the loop to watch gathers the record of each column,
   whose flag decides a branch.

   With -DHAND_PREFETCH: what a person would insert, as a yardstick.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PER_ROW = 16 };

struct column
{
  double value;
  double change;		/* since the last round */
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
      fprintf (stderr, "spmv: out of memory\n");
      exit (2);
    }
  return p;
}

static void
multiply (double *y, const uint64_t *row, const uint32_t *index,
	  const float *entry, const struct column *x, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    {
      double sum = 0;
      for (uint64_t e = row[i]; e < row[i + 1]; e++)
	{
#ifdef HAND_PREFETCH
	  __builtin_prefetch (&x[index[e + 32]]);
#endif
	  const struct column *c = &x[index[e]];
	  if (c->change > 0.5)
	    sum += entry[e] * c->value;
	}
      y[i] = sum;
    }
}

int
main (int argc, char **argv)
{
  int bits = argc > 1 ? atoi (argv[1]) : 22;
  state = argc > 2 ? strtoull (argv[2], NULL, 10) * 2654435761u + 1 : 88172645463325252u;
  int rounds = argc > 3 ? atoi (argv[3]) : 6;
  if (bits < 4 || bits > 27 || rounds < 1)
    {
      fprintf (stderr, "usage: spmv [BITS 4..27 [SEED [ROUNDS]]]\n");
      return 2;
    }

  uint32_t n = 1u << bits;
  uint64_t entries = (uint64_t) n * PER_ROW;
  uint64_t *row = allocate (n + 1, sizeof *row);
  uint32_t *index = allocate (entries + 64, sizeof *index);
  float *entry = allocate (entries, sizeof *entry);
  struct column *x = allocate (n, sizeof *x);
  double *y = allocate (n, sizeof *y);
  for (uint32_t i = 0; i < n; i++)
    {
      uint64_t r = next_random ();
      row[i + 1] = row[i] + PER_ROW / 2 + r % PER_ROW;
      if (row[i + 1] > entries)
	row[i + 1] = entries;
      x[i].value = (double) (r >> 40) / (1 << 24);
      x[i].change = (double) (r >> 8 & 0xffff) / 65536;
    }
  for (uint64_t e = 0; e < entries; e++)
    {
      uint64_t r = next_random ();
      index[e] = r & (n - 1);
      entry[e] = (float) (r >> 40) / (1 << 24) / PER_ROW;
    }
  double check = 0;
  for (int r = 0; r < rounds; r++)
    {
      multiply (y, row, index, entry, x, n);
      for (uint32_t i = 0; i < n; i++)
	{
	  double change = y[i] - x[i].value;
	  x[i].change = change < 0 ? -change + 0.3 : change + 0.3;
	  x[i].value = 0.15 + 0.85 * y[i];
	  check += x[i].value;
	}
    }
  printf ("spmv: %u rows, %llu entries, check %.9e\n", n,
	  (unsigned long long) row[n], check);
  return 0;
}
