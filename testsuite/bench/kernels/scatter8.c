/* scatter8.c - 8-byte stores at random all over 500 MB.
   SPDX-License-Identifier: GPL-3.0-or-later  */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 500000000 / 8, STORES = 24000000 };

int
main (void)
{
  uint64_t *cell = calloc (CELLS, sizeof *cell), x = 88172645463325252u, sum = 0;
  if (!cell)
    return 1;
  for (int i = 0; i < STORES; i++)
    {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      cell[x % CELLS] = x;
    }
  for (int i = 0; i < CELLS; i += 1000)
    sum += cell[i];
  printf ("%llx\n", (unsigned long long) sum);
  return 0;
}
