// bfs.c - breadth-first search on a random graph of Graph500's kind (R-MAT), by threads.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Edges in compressed rows: the neighbours of v are column[rowstarts[v]] .. column[rowstarts[v + 1]].
// Each level of the search goes through the queue of the one before: rows lie anywhere, so
// do the predecessors of new vertices; the bitmap of visited ones is small. The largest
// array, column, is what huge pages should be for: with a third argument it is
// allocated for them.
//
//   bfs SCALE [THREADS [huge]]      2^SCALE vertices, 16 edges each
//
// Says on stderr how long the search took. -DSEARCH_ONLY: a profile is of the search alone.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef SEARCH_ONLY
#include <memprof.h>
#else
#define memprof_stop() ((void) 0)
#define memprof_start() ((void) 0)
#endif

enum { EDGES = 16, MOST_THREADS = 64, BATCH = 64 };

static uint32_t vertices, *column, *rowstarts, *pred, *oldq, *newq;
static uint64_t *visited;
static uint32_t old_size, new_size;
static int threads;
static pthread_barrier_t barrier;

static uint64_t
next_random (uint64_t *state)
{
  uint64_t x = *state += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// One edge of the Kronecker graph with 0.57, 0.19, 0.19, 0.05.
static void
make_edge (uint64_t *state, int scale, uint32_t *from, uint32_t *to)
{
  uint32_t a = 0, b = 0;
  for (int i = 0; i < scale; i++)
    {
      uint32_t r = next_random (state) >> 40;
      uint32_t part = r < 9563013 ? 0 : r < 12750684 ? 1 : r < 15938355 ? 2 : 3;
      a = a << 1 | part >> 1;
      b = b << 1 | (part & 1);
    }
  // Numbers say nothing about degrees.
  *from = (a * 0x9e3779b1u) & (vertices - 1);
  *to = (b * 0x9e3779b1u) & (vertices - 1);
}

static void
make_graph (int scale, int huge)
{
  uint64_t edges = (uint64_t) vertices * EDGES;
  rowstarts = calloc (vertices + 2, sizeof *rowstarts);
  column = aligned_alloc (2 << 20, (edges * 2 * sizeof *column + (2 << 20) - 1) >> 21 << 21);
  if (huge)
    madvise (column, edges * 2 * sizeof *column, MADV_HUGEPAGE);
  uint64_t state = 1;
  uint32_t from, to;
  for (uint64_t e = 0; e < edges; e++)
    {
      make_edge (&state, scale, &from, &to);
      rowstarts[from + 2]++;
      rowstarts[to + 2]++;
    }
  for (uint32_t v = 2; v < vertices + 2; v++)
    rowstarts[v] += rowstarts[v - 1];
  state = 1;
  for (uint64_t e = 0; e < edges; e++)
    {
      make_edge (&state, scale, &from, &to);
      column[rowstarts[from + 1]++] = to;
      column[rowstarts[to + 1]++] = from;
    }
}

static void
visit (uint32_t from, uint32_t to, uint32_t *found, uint32_t *count)
{
  uint64_t bit = UINT64_C (1) << (to & 63);
  if (visited[to >> 6] & bit)
    return;
  if (__atomic_fetch_or (&visited[to >> 6], bit, __ATOMIC_RELAXED) & bit)
    return;
  pred[to] = from;
  found[(*count)++] = to;
  if (*count < BATCH)
    return;
  uint32_t at = __atomic_fetch_add (&new_size, BATCH, __ATOMIC_RELAXED);
  memcpy (newq + at, found, BATCH * sizeof *found);
  *count = 0;
}

static void
search_part (int self)
{
  uint32_t found[BATCH], count = 0;
  for (uint32_t i = old_size * (uint64_t) self / threads,
		end = old_size * (uint64_t) (self + 1) / threads;
       i < end; i++)
    {
      uint32_t v = oldq[i];
      for (uint32_t e = rowstarts[v], last = rowstarts[v + 1]; e < last; e++)
	visit (v, column[e], found, &count);
    }
  uint32_t at = __atomic_fetch_add (&new_size, count, __ATOMIC_RELAXED);
  memcpy (newq + at, found, count * sizeof *found);
}

static void *
search (void *argument)
{
  int self = (int) (intptr_t) argument;
  while (old_size != 0)
    {
      search_part (self);
      pthread_barrier_wait (&barrier);
      if (self == 0)
	{
	  uint32_t *q = oldq;
	  oldq = newq;
	  newq = q;
	  old_size = new_size;
	  new_size = 0;
	}
      pthread_barrier_wait (&barrier);
    }
  return NULL;
}

static double
seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

int
main (int argc, char **argv)
{
  int scale = argc > 1 ? atoi (argv[1]) : 18;
  threads = argc > 2 ? atoi (argv[2]) : 1;
  if (scale < 4 || scale > 26 || threads < 1 || threads > MOST_THREADS)
    return 2;
  memprof_stop ();
  vertices = UINT32_C (1) << scale;
  make_graph (scale, argc > 3);
  pred = calloc (vertices, sizeof *pred);
  oldq = malloc (vertices * sizeof *oldq);
  newq = malloc (vertices * sizeof *newq);
  visited = calloc (vertices / 64 + 1, sizeof *visited);
  uint32_t root = 0;
  while (rowstarts[root] == rowstarts[root + 1])
    root++;
  oldq[0] = root;
  old_size = 1;
  visited[root >> 6] |= UINT64_C (1) << (root & 63);
  pred[root] = root;
  pthread_barrier_init (&barrier, NULL, threads);
  pthread_t ids[MOST_THREADS];
  memprof_start ();
  double start = seconds ();
  for (int t = 1; t < threads; t++)
    pthread_create (&ids[t], NULL, search, (void *) (intptr_t) t);
  search ((void *) 0);
  for (int t = 1; t < threads; t++)
    pthread_join (ids[t], NULL);
  fprintf (stderr, "%.3f\n", seconds () - start);
  uint32_t reached = 0;
  for (uint32_t v = 0; v < vertices; v++)
    reached += visited[v >> 6] >> (v & 63) & 1;
  printf ("%u of %u\n", reached, vertices);
  return 0;
}
