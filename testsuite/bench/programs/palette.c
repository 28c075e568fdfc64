/* palette.c - many short rows and cells: nothing that pays to be versioned.
   SPDX-License-Identifier: GPL-3.0-or-later

     palette [ROUNDS [CELLS [SEED]]]

   Colours of three components, 4 x 4 blocks, rows of a few pixels, and a filter
   that works in place, so that stores and loads really meet.  Here to be no
   slower.

   One of the factors of a block is a row of the block itself, so that -DHAND
   must not say restrict there; it computes a row before it stores it.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAND
#define RESTRICT restrict
#else
#define RESTRICT
#endif
#define NOINLINE __attribute__ ((noinline))

typedef unsigned char byte;

struct cell
{
  int parts;
  byte colour[4];
  float block[16];
};

NOINLINE static void
tint (struct cell *to, const struct cell *from, const byte *RESTRICT shade)
{
  for (int i = 0; i < to->parts; i++)
    to->colour[i] = (from->colour[i] * 3 + shade[i]) >> 2;
}

NOINLINE static void
turn (const float *a, const float *b, float *c)
{
#ifdef HAND
  for (int i = 0; i < 4; i++)
    {
      float row[4];
      for (int j = 0; j < 4; j++)
	row[j] = a[i] * b[j] + c[i * 4 + j] * 0.5f;
      memcpy (c + i * 4, row, sizeof row);
    }
#else
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      c[i * 4 + j] = a[i] * b[j] + c[i * 4 + j] * 0.5f;
#endif
}

/* All bits of a block count: it is neither rounded nor printed.  */

static unsigned
digest (const struct cell *cell, unsigned sum)
{
  unsigned words[16];
  memcpy (words, cell->block, sizeof words);
  for (int i = 0; i < 16; i++)
    sum = sum * 31 + words[i];
  return sum;
}

/* In place: each byte from the one before.  */

NOINLINE static void
smooth (byte *from, byte *to, int count)
{
  for (int i = 0; i < count; i++)
    to[i] = (from[i] + to[i]) >> 1;
}

NOINLINE static int
copy_short (byte *to, const byte *from, const int *count)
{
  int i;
  for (i = 0; i < *count; i++)
    to[i] = from[i] + 1;
  return i;
}

int
main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 1500;
  int count = argc > 2 ? atoi (argv[2]) : 4000;
  unsigned seed = argc > 3 ? atoi (argv[3]) : 1, sum = 0;
  struct cell *cells = calloc (count, sizeof *cells);
  byte *row = calloc (count + 64, 1), shade[4] = { 9, 17, 33, 65 }, part[16];
  if (!cells || !row) exit (1);
  for (int i = 0; i < count; i++)
    {
      cells[i].parts = 3;
      for (int k = 0; k < 16; k++)
	cells[i].block[k] = (seed = seed * 1664525 + 1013904223) >> 28;
    }
  for (int r = 0; r < rounds; r++)
    {
      for (int i = 1; i < count; i++)
	{
	  tint (&cells[i], &cells[i - 1], shade);
	  turn (cells[i - 1].block, cells[i].block + 4, cells[i].block);
	  int few = 1 + (i & 7);
	  sum += copy_short (part, row + i, &few);
	  row[i] += part[0];
	}
      smooth (row, row + 1, count);
      sum = sum * 31 + row[r % count] + cells[r % count].colour[1];
      sum = digest (&cells[r * 7 % count], sum);
    }
  printf ("%08x\n", sum);
  return 0;
}
