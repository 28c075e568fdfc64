/* histogram.c - contrast of grey pictures: count, accumulate, map.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: histogram [ROUNDS [WIDTH [HEIGHT [SEED]]]]

   Rows are counted into a table in the picture's record, and mapped through a
   table of bytes: each store of a byte may change the tables, the pointers and
   the bounds, as far as the compiler knows.

   With -DHAND: locals and restrict, as a yardstick.  */

#include <stdio.h>
#include <stdlib.h>

#ifdef HAND
#define RESTRICT restrict
#define BY_HAND __attribute__ ((optimize ("O3"), noinline))
#else
#define RESTRICT
#define BY_HAND __attribute__ ((noinline))
#endif

typedef unsigned char pixel;

struct picture
{
  int width, height, stride;
  pixel *at;
  unsigned count[256];
  pixel map[256];
  pixel floor, gain;
};

BY_HAND static void
count (struct picture *p)
{
#ifdef HAND
  int width = p->width, height = p->height, stride = p->stride;
  const pixel *RESTRICT at = p->at;
  unsigned *RESTRICT to = p->count;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      to[at[y * stride + x]]++;
#else
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++)
      p->count[p->at[y * p->stride + x]]++;
#endif
}

/* Distance of each pixel from the floor, with a gain, in place.  */

BY_HAND static void
stretch (struct picture *p)
{
#ifdef HAND
  int width = p->width, height = p->height, stride = p->stride;
  pixel *RESTRICT at = p->at, floor = p->floor, gain = p->gain;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
	int v = at[y * stride + x] - floor;
	at[y * stride + x] = (v < 0 ? 0 : v) * gain >> 4;
      }
#else
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++)
      {
	int v = p->at[y * p->stride + x] - p->floor;
	p->at[y * p->stride + x] = (v < 0 ? 0 : v) * p->gain >> 4;
      }
#endif
}

BY_HAND static void
map (struct picture *to, const struct picture *from)
{
#ifdef HAND
  int width = from->width, height = from->height, stride = from->stride;
  pixel *RESTRICT out = to->at;
  const pixel *RESTRICT in = from->at, *RESTRICT table = from->map;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      out[y * stride + x] = table[in[y * stride + x]];
#else
  for (int y = 0; y < from->height; y++)
    for (int x = 0; x < from->width; x++)
      to->at[y * from->stride + x] = from->map[from->at[y * from->stride + x]];
#endif
}

static void
accumulate (struct picture *p)
{
  unsigned long sum = 0, all = (unsigned long) p->width * p->height;
  for (int v = 0; v < 256; v++)
    {
      sum += p->count[v];
      p->map[v] = sum * 255 / all;
      p->count[v] /= 2;
    }
}

static struct picture *
make (int width, int height, unsigned seed)
{
  struct picture *p = calloc (1, sizeof *p);
  if (!p)
    exit (2);
  p->width = width, p->height = height, p->stride = width + 5;
  p->at = malloc ((size_t) p->stride * height);
  if (!p->at)
    exit (2);
  for (int i = 0; i < p->stride * height; i++)
    {
      seed = seed * 1664525 + 1013904223;
      p->at[i] = (seed >> 24) / 3 + (seed >> 12 & 127);
    }
  p->floor = 3, p->gain = 17;
  return p;
}

int
main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 120;
  int width = argc > 2 ? atoi (argv[2]) : 1200;
  int height = argc > 3 ? atoi (argv[3]) : 700;
  unsigned seed = argc > 4 ? atoi (argv[4]) : 1;
  if (rounds < 1 || width < 1 || height < 1)
    return 2;
  struct picture *a = make (width, height, seed), *b = make (width, height, seed + 1);
  unsigned sum = 0;
  for (int round = 0; round < rounds; round++)
    {
      count (a);
      accumulate (a);
      map (b, a);
      stretch (b);
      struct picture *t = a; a = b; b = t;
      sum = sum * 31 + a->at[round % width] + a->count[round & 255];
    }
  for (int i = 0; i < width * height; i++)
    sum = sum * 31 + a->at[i];
  printf ("histogram: %u\n", sum);
  return 0;
}
