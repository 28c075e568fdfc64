/* imagefilter.c - sharpen and blend grey images, all through pointers.
   SPDX-License-Identifier: GPL-3.0-or-later

     imagefilter [ROUNDS [WIDTH [HEIGHT [SEED]]]]

   Images have a table of row pointers, the filter its weights in a struct.  A
   pixel is a char: each store of one may change weights, row pointers and size,
   as far as the compiler knows.  -DHAND says otherwise.  */

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

struct image
{
  int width, height;
  pixel **rows;
};

struct filter
{
  int middle, side, shift;
  int gain, floor;
};

static void *
need (void *p)
{
  if (!p) exit (1);
  return p;
}

static struct image *
make_image (int width, int height, unsigned seed)
{
  struct image *im = need (malloc (sizeof *im));
  im->width = width;
  im->height = height;
  im->rows = need (malloc (height * sizeof *im->rows));
  for (int y = 0; y < height; y++)
    {
      im->rows[y] = need (malloc (width));
      for (int x = 0; x < width; x++)
	im->rows[y][x] = (seed = seed * 1664525 + 1013904223) >> 25;
    }
  return im;
}

/* Four neighbours against the pixel itself.  */

BY_HAND static void
sharpen (const struct image *from, struct image *to, const struct filter *f)
{
  for (int y = 1; y < from->height - 1; y++)
    {
#ifdef HAND
      const pixel *RESTRICT up = from->rows[y - 1];
      const pixel *RESTRICT row = from->rows[y];
      const pixel *RESTRICT down = from->rows[y + 1];
      pixel *RESTRICT out = to->rows[y];
      const int middle = f->middle, side = f->side, shift = f->shift;
      const int n = from->width - 1;
      for (int x = 1; x < n; x++)
	out[x] = (row[x] * middle
		  + (up[x] + down[x] + row[x - 1] + row[x + 1]) * side) >> shift;
#else
      for (int x = 1; x < from->width - 1; x++)
	to->rows[y][x]
	  = (from->rows[y][x] * f->middle
	     + (from->rows[y - 1][x] + from->rows[y + 1][x]
		+ from->rows[y][x - 1] + from->rows[y][x + 1]) * f->side)
	    >> f->shift;
#endif
    }
}

/* Two images, weighted.  */

BY_HAND static void
blend (const struct image *a, const struct image *b, struct image *to,
       const struct filter *f)
{
  for (int y = 0; y < to->height; y++)
    {
#ifdef HAND
      const pixel *RESTRICT p = a->rows[y];
      const pixel *RESTRICT q = b->rows[y];
      pixel *RESTRICT out = to->rows[y];
      const int gain = f->gain, low = f->floor, n = to->width;
      for (int x = 0; x < n; x++)
	out[x] = ((p[x] * gain + q[x] * (16 - gain)) >> 4) + low;
#else
      for (int x = 0; x < to->width; x++)
	to->rows[y][x] = ((a->rows[y][x] * f->gain
			   + b->rows[y][x] * (16 - f->gain)) >> 4) + f->floor;
#endif
    }
}

int
main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 40;
  int width = argc > 2 ? atoi (argv[2]) : 1920;
  int height = argc > 3 ? atoi (argv[3]) : 1080;
  unsigned seed = argc > 4 ? atoi (argv[4]) : 1;
  struct filter f = { 12, 1, 4, 5 + seed % 4, 1 };
  struct image *a = make_image (width, height, seed);
  struct image *b = make_image (width, height, seed + 1);
  struct image *c = make_image (width, height, seed + 2);
  unsigned sum = 0;
  for (int round = 0; round < rounds; round++)
    {
      sharpen (a, b, &f);
      blend (a, b, c, &f);
      struct image *t = a; a = b; b = c; c = t;
      sum = sum * 31 + a->rows[round % height][round % width];
    }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      sum = sum * 31 + a->rows[y][x];
  printf ("%08x\n", sum);
  return 0;
}
