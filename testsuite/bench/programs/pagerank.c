/* pagerank.c - PageRank on an R-MAT graph, without what has settled.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: pagerank [SCALE [SEED [ROUNDS]]]      2^SCALE pages, 12 links each

   Each round a page gets the ranks of the pages that link to it.  Most settle
   soon: of a page that did not change in the last round nothing has to be
   added.  Whether it did is in its record, which is anywhere.

   With -DHAND_PREFETCH: what a person would insert, as a yardstick.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 12 };

struct page
{
  double rank, change;		/* by which the last round changed it */
  uint32_t links, settled;
  uint64_t first;		/* of the pages that link to it, in `from' */
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

/* One end of a link: in each bit the quarters of the matrix have 0.57, 0.19,
   0.19 and 0.05.  */

static void
link_of (int scale, uint32_t *from, uint32_t *to)
{
  uint32_t f = 0, t = 0;
  for (int bit = 0; bit < scale; bit++)
    {
      uint32_t r = next_random () >> 40 & 1023;
      f = f << 1 | (r >= 778);
      t = t << 1 | (r >= 973 || (r >= 584 && r < 778));
    }
  // So that pages of low numbers are not neighbours.
  uint32_t mask = (1u << scale) - 1;
  *from = f * 2654435761u & mask;
  *to = t * 2654435761u & mask;
}

__attribute__ ((noinline)) static void
gather (const struct page *pages, const uint32_t *from, double *sums, uint32_t n)
{
  for (uint32_t p = 0; p < n; p++)
    {
      double sum = 0;
      for (uint64_t e = pages[p].first; e < pages[p + 1].first; e++)
	{
#ifdef HAND_PREFETCH
	  __builtin_prefetch (&pages[from[e + 32]]);
#endif
	  const struct page *q = &pages[from[e]];
	  if (!q->settled)
	    sum += q->change / q->links;
	}
      sums[p] = sum;
    }
}

/* How many pages still change.  */

__attribute__ ((noinline)) static uint32_t
update (struct page *pages, const double *sums, uint32_t n)
{
  uint32_t moving = 0;
  for (uint32_t p = 0; p < n; p++)
    {
      double change = 0.85 * sums[p];
      pages[p].rank += change;
      pages[p].change = change;
      pages[p].settled = change < 0.02;
      moving += !pages[p].settled;
    }
  return moving;
}

int
main (int argc, char **argv)
{
  int scale = argc > 1 ? atoi (argv[1]) : 19;
  state = (argc > 2 ? strtoull (argv[2], NULL, 10) : 1) * 2654435761u + 1;
  int rounds = argc > 3 ? atoi (argv[3]) : 40;
  if (scale < 4 || scale > 26 || rounds < 1)
    {
      fprintf (stderr, "usage: pagerank [SCALE 4..26 [SEED [ROUNDS]]]\n");
      return 2;
    }
  uint32_t n = 1u << scale;
  uint64_t links = (uint64_t) n * LINKS;
  struct page *pages = checked (calloc (n + 1, sizeof *pages));
  uint32_t *ends = checked (malloc (links * 2 * sizeof *ends));
  uint32_t *from = checked (calloc (links + 64, sizeof *from));
  uint64_t *next = checked (calloc (n + 1, sizeof *next));
  double *sums = checked (calloc (n, sizeof *sums));
  for (uint64_t e = 0; e < links; e++)
    {
      link_of (scale, &ends[2 * e], &ends[2 * e + 1]);
      pages[ends[2 * e]].links++;
      next[ends[2 * e + 1] + 1]++;
    }
  for (uint32_t p = 0; p < n; p++)
    {
      next[p + 1] += next[p];
      pages[p + 1].first = next[p + 1];
      pages[p].rank = 0.15;
      pages[p].change = 0.15;
    }
  for (uint64_t e = 0; e < links; e++)
    from[next[ends[2 * e + 1]]++] = ends[2 * e];
  free (ends);
  uint64_t moving = 0;
  for (int round = 0; round < rounds; round++)
    {
      gather (pages, from, sums, n);
      moving += update (pages, sums, n);
    }
  double check = 0;
  for (uint32_t p = 0; p < n; p++)
    check += pages[p].rank * (p % 7 + 1);
  printf ("pagerank: %u pages, %llu links, %llu changes, check %.9e\n", n,
	  (unsigned long long) links, (unsigned long long) moving, check);
  return 0;
}
