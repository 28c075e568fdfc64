/* bfs.c - breadth-first searches on an R-MAT graph (as in Graph500).
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: bfs [SCALE [SEED [SEARCHES]]]      2^SCALE vertices, 8 edges each way

   As there, a list of edges is made first, then the graph from the list, and
   then searches start from several roots.

   The loops to watch: the neighbours of a vertex are consecutive in memory, but
   their records are anywhere, and whether one was found before decides a
   branch; the neighbours of the next vertex in the queue are anywhere, too.
   While the graph is made, the ends of an edge are anywhere.

   With -DHAND_PREFETCH: what a person would insert, as a yardstick.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOT_REACHED 0xffffffffu

enum { EDGES_PER_VERTEX = 8 };

struct vertex
{
  uint64_t first;		/* of its neighbours */
  uint32_t degree;
  uint32_t level;		/* distance from the root */
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

/* One edge of the recursive matrix with A = 0.57, B = C = 0.19: four levels per
   random number, 16 bits each.  Labels are scrambled, so that vertices of high
   degree are not neighbours in memory.  */
static void
rmat_edge (int scale, uint32_t *from, uint32_t *to)
{
  uint32_t u = 0, v = 0;
  uint64_t r = 0;
  for (int i = 0; i < scale; i++)
    {
      if (i % 4 == 0)
	r = next_random ();
      unsigned p = r & 65535;
      r >>= 16;
      unsigned down = p >= 49807, right = p >= 37355 && (p < 49807 || p >= 62259);
      u = u << 1 | down;
      v = v << 1 | right;
    }
  uint32_t mask = (1u << scale) - 1;
  *from = (u * 0x9e3779b1u + 12345) & mask;
  *to = (v * 0x9e3779b1u + 12345) & mask;
}

static void *
allocate (size_t count, size_t size)
{
  void *p = calloc (count, size);
  if (!p)
    {
      fprintf (stderr, "bfs: out of memory\n");
      exit (2);
    }
  return p;
}

/* Undirected graph: the neighbours of u are the `degree' entries of `neighbour'
   that start at vertex[u].first.  */
struct graph
{
  uint32_t vertices;
  struct vertex *vertex;
  uint32_t *neighbour;
};

/* The graph of the edges from[e] to[e].  */
static struct graph
make_graph (uint32_t vertices, const uint32_t *from, const uint32_t *to,
	    uint64_t edges)
{
  struct graph g;
  g.vertices = vertices;
  g.vertex = allocate (vertices, sizeof *g.vertex);
  g.neighbour = allocate (2 * edges, sizeof *g.neighbour);
  for (uint64_t e = 0; e < edges; e++)
    {
#ifdef HAND_PREFETCH
      if (e + 32 < edges)
	{
	  __builtin_prefetch (&g.vertex[from[e + 32]]);
	  __builtin_prefetch (&g.vertex[to[e + 32]]);
	}
#endif
      g.vertex[from[e]].degree++;
      g.vertex[to[e]].degree++;
    }
  uint64_t first = 0;
  for (uint32_t u = 0; u < g.vertices; u++)
    {
      g.vertex[u].first = first;
      first += g.vertex[u].degree;
      g.vertex[u].degree = 0;
    }
  for (uint64_t e = 0; e < edges; e++)
    {
#ifdef HAND_PREFETCH
      if (e + 32 < edges)
	{
	  __builtin_prefetch (&g.vertex[from[e + 32]]);
	  __builtin_prefetch (&g.vertex[to[e + 32]]);
	}
#endif
      struct vertex *u = &g.vertex[from[e]], *v = &g.vertex[to[e]];
      g.neighbour[u->first + u->degree++] = to[e];
      g.neighbour[v->first + v->degree++] = from[e];
    }
  return g;
}

/* A vertex that was found and whose neighbours are to be looked at; its range
   is copied from the vertex, which is at hand when it is found.  */
struct work
{
  uint64_t first;
  uint32_t degree, level;
};

static uint32_t
search (const struct graph *g, struct work *queue, uint32_t root)
{
  struct vertex *vertex = g->vertex;
  for (uint32_t u = 0; u < g->vertices; u++)
    vertex[u].level = NOT_REACHED;
  uint32_t head = 0, tail = 0;
  vertex[root].level = 0;
  queue[tail++] = (struct work) { vertex[root].first, vertex[root].degree, 0 };
  while (head < tail)
    {
#ifdef HAND_PREFETCH
      __builtin_prefetch (&g->neighbour[queue[head + 16].first]);
#endif
      struct work *w = &queue[head++];
      uint32_t level = w->level + 1;
      const uint32_t *neighbour = g->neighbour + w->first;
      for (uint32_t i = 0; i < w->degree; i++)
	{
#ifdef HAND_PREFETCH
	  __builtin_prefetch (&vertex[neighbour[i + 16]]);
#endif
	  struct vertex *v = &vertex[neighbour[i]];
	  if (v->level == NOT_REACHED)
	    {
	      v->level = level;
	      queue[tail++] = (struct work) { v->first, v->degree, level };
	    }
	}
    }
  return tail;
}

int
main (int argc, char **argv)
{
  int scale = argc > 1 ? atoi (argv[1]) : 22;
  state = argc > 2 ? strtoull (argv[2], NULL, 10) * 2654435761u + 1 : 88172645463325252u;
  int searches = argc > 3 ? atoi (argv[3]) : 12;
  if (scale < 4 || scale > 26 || searches < 1)
    {
      fprintf (stderr, "usage: bfs [SCALE 4..26 [SEED [SEARCHES]]]\n");
      return 2;
    }

  uint32_t vertices = 1u << scale;
  uint64_t edges = (uint64_t) vertices * EDGES_PER_VERTEX;
  uint32_t *from = allocate (edges, sizeof *from);
  uint32_t *to = allocate (edges, sizeof *to);
  for (uint64_t e = 0; e < edges; e++)
    rmat_edge (scale, &from[e], &to[e]);
  struct graph g = make_graph (vertices, from, to, edges);
  free (from);
  free (to);
  struct work *queue = allocate (g.vertices + 16, sizeof *queue);
  uint64_t reached = 0, check = 0;
  for (int i = 0; i < searches; i++)
    {
      uint32_t root;
      do
	root = next_random () & (g.vertices - 1);
      while (!g.vertex[root].degree);
      reached += search (&g, queue, root);
      for (uint32_t u = 0; u < g.vertices; u += 1021)
	check = check * 31 + g.vertex[u].level;
    }
  printf ("bfs: %u vertices, %d searches, %llu reached, check %llx\n",
	  g.vertices, searches, (unsigned long long) reached,
	  (unsigned long long) check);
  return 0;
}
