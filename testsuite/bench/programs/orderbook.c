/* orderbook.c - orders of 248 bytes, of which trading looks at a few fields.
   SPDX-License-Identifier: GPL-3.0-or-later

     orderbook [ORDERS [SEED [ROUNDS]]]

   A round goes through the orders, fills part of those with a good price and looks
   at their owners.  What trading needs lies on four lines of each order, as the
   fields were added over the years.  -DHAND has them together, -DHAND_PREFETCH prefetches
   those of later orders.  */

#include <stdio.h>
#include <stdlib.h>

#ifdef HAND
struct order
{
  long quantity, filled;
  int price, owner;
  unsigned flags;
  char symbol[16];
  char client[40];
  long received, acknowledged;
  char route[32];
  char memo[56];
  long audit[5];
};
#else
struct order
{
  char symbol[16];
  char client[40];
  int price;
  long received, acknowledged;
  long quantity;
  char route[32];
  unsigned flags;
  char memo[56];
  long filled;
  long audit[5];
  int owner;
};
#endif

static unsigned long state;

static unsigned
next_random (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 16;
}

static void
make_order (struct order *o, long number)
{
  snprintf (o->symbol, sizeof o->symbol, "S%u", next_random () % 1000);
  snprintf (o->client, sizeof o->client, "client %ld", number % 977);
  o->price = next_random () % 512;
  o->quantity = 1000 + next_random () % 1000;
  o->owner = next_random () % 64;
  o->flags = next_random () & 7;
  o->received = number;
}

static __attribute__ ((noinline)) long
trade (struct order *orders, long n, int price, long *owned)
{
  long volume = 0;
  for (long i = 0; i < n; i++)
    {
      struct order *o = &orders[i];
#ifdef HAND_PREFETCH
      __builtin_prefetch (o + 48);
      __builtin_prefetch (&o[48].flags);
#endif
      if (o->price >= price && (o->flags & 3))
	{
	  long part = (o->quantity - o->filled) / 8;
	  o->filled += part;
	  volume += part * o->price;
	  owned[o->owner] += part;
	}
    }
  return volume;
}

int
main (int argc, char **argv)
{
  long n = argc > 1 ? atol (argv[1]) : 600000;
  state = argc > 2 ? atol (argv[2]) * 2 + 1 : 1;
  int rounds = argc > 3 ? atoi (argv[3]) : 100;
  static long owned[64];
  struct order *orders = calloc (n, sizeof *orders);
  for (long i = 0; i < n; i++)
    make_order (&orders[i], i);
  long volume = 0;
  for (int r = 0; r < rounds; r++)
    volume += trade (orders, n, r % 25 * 16, owned);
  long sum = 0;
  for (int i = 0; i < 64; i++)
    sum += owned[i] * (i + 1);
  printf ("%ld %ld\n", volume, sum);
  free (orders);
  return 0;
}
