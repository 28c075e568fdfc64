/* stencil3d.c - heat in a cube: seven-point stencil in three dimensions.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: stencil3d [N [STEPS]]  */
#include <stdio.h>
#include <stdlib.h>

static void
step (int n, float *restrict to, const float *from)
{
  const int plane = n * n;
  for (int z = 1; z < n - 1; z++)
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++)
	{
	  const float *at = from + z * plane + y * n + x;
	  to[z * plane + y * n + x]
	    = 0.4f * at[0]
	      + 0.1f * (at[-1] + at[1] + at[-n] + at[n] + at[-plane] + at[plane]);
	}
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 200, steps = argc > 2 ? atoi (argv[2]) : 100;
  if (n < 3 || n > 1000)
    return 2;
  size_t cells = (size_t) n * n * n;
  float *a = calloc (cells, sizeof *a), *b = calloc (cells, sizeof *b);
  if (!a || !b)
    return 1;
  for (size_t i = 0; i < cells; i++)
    a[i] = b[i] = (float) (i * 2654435761u >> 8 & 1023) / 1024;
  for (int s = 0; s < steps; s++)
    {
      step (n, b, a);
      float *t = a;
      a = b;
      b = t;
    }
  double sum = 0;
  for (size_t i = 0; i < cells; i++)
    sum += a[i] * (double) (i % 7);
  printf ("%.6e\n", sum);
  return 0;
}
