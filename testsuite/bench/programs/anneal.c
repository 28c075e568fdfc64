// anneal.c - places the elements of a netlist by simulated annealing.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Of canneal's kind: two elements, chosen at random, swap their places if that makes the wires to
// their neighbours shorter, or if the temperature allows it. Elements lie anywhere, and so do
// their places: nothing is regular but the lists of neighbours.
//
//   anneal [ELEMENTS [SWAPS]]
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAN = 6 };

struct place
{
  int x, y;
};
struct element
{
  uint32_t neighbours[FAN];
  uint32_t place;
};

static struct element *elements;
static struct place *places;

static uint32_t
next_random (uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

// The wires of E if it were at P.
static int
cost (const struct element *e, const struct place *p)
{
  int sum = 0;
  for (int i = 0; i < FAN; i++)
    {
      const struct place *q = &places[elements[e->neighbours[i]].place];
      sum += abs (p->x - q->x) + abs (p->y - q->y);
    }
  return sum;
}

int
main (int argc, char **argv)
{
  uint32_t count = argc > 1 ? atoi (argv[1]) : 400000;
  uint32_t swaps = argc > 2 ? atoi (argv[2]) : 1000000;
  uint32_t side = 1;
  uint64_t state = 7;
  if (count < 2)
    return 2;
  while (side * side < count)
    side++;
  elements = malloc (count * sizeof *elements);
  places = malloc (count * sizeof *places);
  for (uint32_t i = 0; i < count; i++)
    {
      places[i] = (struct place) { i % side, i / side };
      elements[i].place = i;
      for (int k = 0; k < FAN; k++)
	elements[i].neighbours[k] = next_random (&state) % count;
    }
  int temperature = 2000;
  uint32_t done = 0;
  for (uint32_t i = 0; i < swaps; i++)
    {
      struct element *a = &elements[next_random (&state) % count];
      struct element *b = &elements[next_random (&state) % count];
      const struct place *p = &places[a->place], *q = &places[b->place];
      int gain = cost (a, p) + cost (b, q) - cost (a, q) - cost (b, p);
      if (gain > 0 || (int) (next_random (&state) % 10000) < temperature)
	{
	  uint32_t place = a->place;
	  a->place = b->place;
	  b->place = place;
	  done++;
	}
      if (i % 10000 == 0)
	temperature = temperature * 9 / 10;
    }
  printf ("%u of %u\n", done, swaps);
  return 0;
}
