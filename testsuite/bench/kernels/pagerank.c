/* pagerank.c - PageRank, pulled along the edges of an R-MAT graph.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: pagerank [SCALE [ROUNDS]]         2^SCALE vertices, 8 edges each  */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *
allocate (size_t count, size_t size)
{
  void *p = calloc (count, size);
  if (!p)
    exit (1);
  return p;
}

/* One edge of the recursive matrix with A = 0.57, B = C = 0.19.  */
static void
make_edge (int scale, uint32_t *from, uint32_t *to)
{
  static uint64_t x = 88172645463325252u;
  *from = *to = 0;
  for (int i = 0; i < scale; i++)
    {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      unsigned p = x >> 32 & 0xffff;
      unsigned down = p >= 49807, right = (p >= 37355 && p < 49807) || p >= 62259;
      *from = *from << 1 | down;
      *to = *to << 1 | right;
    }
}

static void
pull (uint32_t n, const uint32_t *first, const uint32_t *source,
      const double *share, double *rank)
{
  for (uint32_t v = 0; v < n; v++)
    {
      double sum = 0;
      for (uint32_t e = first[v]; e < first[v + 1]; e++)
	sum += share[source[e]];
      rank[v] = 0.15 / n + 0.85 * sum;
    }
}

int
main (int argc, char **argv)
{
  int scale = argc > 1 ? atoi (argv[1]) : 19, rounds = argc > 2 ? atoi (argv[2]) : 30;
  if (scale < 2 || scale > 26)
    return 2;
  uint32_t n = 1u << scale, edges = n * 8;
  uint32_t *from = allocate (edges, sizeof *from), *to = allocate (edges, sizeof *to);
  uint32_t *first = allocate (n + 2, sizeof *first), *source = allocate (edges, sizeof *source);
  uint32_t *out = allocate (n, sizeof *out);
  double *rank = allocate (n, sizeof *rank), *share = allocate (n, sizeof *share);
  for (uint32_t e = 0; e < edges; e++)
    {
      make_edge (scale, &from[e], &to[e]);
      first[to[e] + 2]++;
      out[from[e]]++;
    }
  for (uint32_t v = 0; v < n; v++)
    first[v + 2] += first[v + 1];
  for (uint32_t e = 0; e < edges; e++)
    source[first[to[e] + 1]++] = from[e];
  for (uint32_t v = 0; v < n; v++)
    rank[v] = 1.0 / n;
  for (int r = 0; r < rounds; r++)
    {
      for (uint32_t v = 0; v < n; v++)
	share[v] = out[v] ? rank[v] / out[v] : 0;
      pull (n, first, source, share, rank);
    }
  double sum = 0;
  for (uint32_t v = 0; v < n; v++)
    sum += rank[v] * (v % 11);
  printf ("%.9e\n", sum);
  return 0;
}
