/* mst.c - minimum spanning tree: vertices in a list, edges in lists (Prim).
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: mst [VERTICES [DEGREE]]

   Each vertex has a hash table of chains with the weights of its edges, in
   small pieces from malloc; the vertices that are not in the tree form a list.  */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 16 };

struct vertex;
struct edge
{
  struct edge *next;
  const struct vertex *to;
  int weight;
};
struct vertex
{
  struct vertex *next;
  int distance, number;
  struct edge *bucket[BUCKETS];
};

static uint64_t state = 88172645463325252u;

static uint64_t
next_random (void)
{
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state >> 8;
}

static void *
allocate (size_t size)
{
  void *p = calloc (1, size);
  if (!p)
    exit (1);
  return p;
}

static void
add_edge (struct vertex *from, const struct vertex *to, int weight)
{
  struct edge *e = allocate (sizeof *e);
  struct edge **bucket = &from->bucket[to->number % BUCKETS];
  *e = (struct edge) { *bucket, to, weight };
  *bucket = e;
}

/* The weight of the edge, or a large number.  */
static int
look_up (const struct vertex *from, const struct vertex *to)
{
  for (const struct edge *e = from->bucket[to->number % BUCKETS]; e; e = e->next)
    if (e->to == to)
      return e->weight;
  return 1 << 20;
}

/* Takes the vertex nearest to the tree, which NEW has just joined, off the list.  */
static struct vertex *
take_nearest (struct vertex **list, const struct vertex *new)
{
  struct vertex **best = NULL;
  for (struct vertex **at = list; *at; at = &(*at)->next)
    {
      int weight = look_up (*at, new);
      if (weight < (*at)->distance)
	(*at)->distance = weight;
      if (!best || (*at)->distance < (*best)->distance)
	best = at;
    }
  struct vertex *v = *best;
  *best = v->next;
  return v;
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 6000, degree = argc > 2 ? atoi (argv[2]) : 64;
  if (n < 2 || degree < 1)
    return 2;
  struct vertex **all = allocate (n * sizeof *all);
  for (int i = 0; i < n; i++)
    {
      all[i] = allocate (sizeof **all);
      all[i]->number = i;
      all[i]->distance = 1 << 21;
      if (i)
	all[i - 1]->next = all[i];
    }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < degree / 2; k++)
      {
	int other = (int) (next_random () % n), weight = (int) (next_random () % 10000);
	add_edge (all[i], all[other], weight);
	add_edge (all[other], all[i], weight);
      }
  struct vertex *list = all[0]->next;
  const struct vertex *new = all[0];
  long total = 0;
  while (list)
    {
      struct vertex *v = take_nearest (&list, new);
      total += v->distance;
      new = v;
    }
  printf ("%ld\n", total);
  return 0;
}
