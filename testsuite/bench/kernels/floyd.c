/* floyd.c - shortest paths between all vertices (Floyd and Warshall).
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: floyd [VERTICES]

   The row that is updated may be the row that is read, so that GCC checks.  */
#include <stdio.h>
#include <stdlib.h>

static void
shortest_paths (int n, int *d)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
	{
	  int through = d[i * n + k] + d[k * n + j];
	  d[i * n + j] = d[i * n + j] < through ? d[i * n + j] : through;
	}
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 1200;
  if (n < 1 || n > 20000)
    return 2;
  int *d = calloc ((size_t) n * n, sizeof *d);
  if (!d)
    return 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {
	unsigned x = (unsigned) i * 2654435761u ^ (unsigned) j * 40503u;
	d[i * n + j] = i == j ? 0 : x >> 7 & 7 ? 1000000 : (int) (x >> 12 & 1023) + 1;
      }
  shortest_paths (n, d);
  long sum = 0;
  for (int i = 0; i < n * n; i++)
    sum = sum * 31 + d[i];
  printf ("%lx\n", sum);
  return 0;
}
