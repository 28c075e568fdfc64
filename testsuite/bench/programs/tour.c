/* tour.c - round trips through points in the plane, joined pairwise.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: tour [POINTS [SEED [ROUNDS]]]

   Points of one cell of the plane are allocated one after the other and visited one
   after the other, but in any order within the cell: a trip goes through 8 KB at
   random, then through the next 8 KB.  Each round walks the whole trip and looks for the
   point that is nearest to a random one.

   A record of 56 bytes is 64 bytes apart from the next one.  What a round takes depends
   on whether records lie in one line each or in halves of two lines: with halves, a
   visit of one fetches half of each neighbour, too.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELL = 128 };

struct point
{
  int number;
  double x, y;
  struct point *left, *right, *next, *previous;
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

static struct point *
make (int number)
{
  struct point *p = malloc (sizeof *p);
  if (!p)
    exit (2);
  uint64_t bits = next_random ();
  p->number = number;
  p->x = bits & 0xffff;
  p->y = bits >> 16 & 0xffff;
  p->left = p->right = p->next = p->previous = NULL;
  return p;
}

/* One trip through COUNT points, closed.  */

static struct point *
make_trip (int count)
{
  struct point *cell[CELL], *first = NULL, *last = NULL;
  for (int done = 0; done < count; done += CELL)
    {
      int n = count - done < CELL ? count - done : CELL;
      for (int i = 0; i < n; i++)
	cell[i] = make (done + i);
      for (int i = n - 1; i > 0; i--)
	{
	  int j = next_random () % (i + 1);
	  struct point *p = cell[i];
	  cell[i] = cell[j];
	  cell[j] = p;
	}
      for (int i = 0; i < n; i++)
	{
	  cell[i]->previous = last;
	  if (last)
	    last->next = cell[i];
	  else
	    first = cell[i];
	  last = cell[i];
	}
    }
  last->next = first;
  first->previous = last;
  return first;
}

__attribute__ ((noinline)) static struct point *
nearest (struct point *trip, double x, double y)
{
  struct point *best = trip;
  double least = 1e30;
  struct point *p = trip;
  do
    {
      double dx = p->x - x, dy = p->y - y;
      if (dx * dx + dy * dy < least)
	least = dx * dx + dy * dy, best = p;
      p = p->next;
    }
  while (p != trip);
  return best;
}

int
main (int argc, char **argv)
{
  int points = argc > 1 ? atoi (argv[1]) : 400000;
  state = (argc > 2 ? strtoull (argv[2], NULL, 10) : 1) * 0x9e3779b97f4a7c15u | 1;
  int rounds = argc > 3 ? atoi (argv[3]) : 30;
  struct point *trip = make_trip (points);
  uint64_t sum = 0;
  for (int i = 0; i < rounds; i++)
    {
      uint64_t bits = next_random ();
      sum += nearest (trip, bits & 0xffff, bits >> 16 & 0xffff)->number;
    }
  printf ("%llu\n", (unsigned long long) sum);
  return 0;
}
