/* scatter1.c - byte stores at random all over 100 MB.
   SPDX-License-Identifier: GPL-3.0-or-later  */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 100000000, STORES = 24000000 };

int
main (void)
{
  unsigned char *byte = calloc (BYTES, 1);
  uint64_t x = 88172645463325252u, sum = 0;
  if (!byte)
    return 1;
  for (int i = 0; i < STORES; i++)
    {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      byte[x % BYTES] = (unsigned char) (x >> 32);
    }
  for (int i = 0; i < BYTES; i += 1000)
    sum += byte[i];
  printf ("%llx\n", (unsigned long long) sum);
  return 0;
}
