/* listwalk.c - a list of records of 192 bytes, walked with conditions.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: listwalk [RECORDS [SEED [ROUNDS]]]

   The records of a session log are allocated in the order in which they are
   linked, so that the next one is a fixed distance away as a rule, but the
   processor has to load `next' to know.  Each round drops some records, and
   appends as many to the end.

   With -DHAND_PREFETCH: what a person would insert, as a yardstick.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct record
{
  uint64_t started, ended;
  uint32_t user, status;
  char agent[80], path[64];
  uint64_t bytes;
  struct record *next;
  uint32_t flags, referrer;
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

static struct record *
make (uint64_t now)
{
  struct record *r = malloc (sizeof *r);
  if (!r)
    exit (2);
  uint64_t bits = next_random ();
  r->started = now;
  r->ended = now + bits % 1000;
  r->user = bits >> 20 & 0xffff;
  r->status = 200 + (bits >> 10 & 3) * 100;
  r->agent[0] = r->path[0] = 0;
  r->bytes = bits >> 30 & 0xfffff;
  r->next = NULL;
  r->flags = bits >> 5 & 31;
  r->referrer = bits;
  return r;
}

__attribute__ ((noinline)) static uint64_t
report (const struct record *r, uint32_t status)
{
  uint64_t total = 0;
  while (r)
    {
#ifdef HAND_PREFETCH
      __builtin_prefetch ((const char *) r + 32 * 208);
      __builtin_prefetch ((const char *) r + 32 * 208 + 176);
#endif
      if (r->status == status && r->flags & 1)
	total = total * 5 + r->bytes;
      else if (r->ended - r->started > 500)
	total ^= r->ended;
      r = r->next;
    }
  return total;
}

/* Drops what is old and unimportant; returns how many.  */

__attribute__ ((noinline)) static long
drop (struct record **at, uint64_t before)
{
  long dropped = 0;
  while (*at)
    {
      struct record *r = *at;
      if (r->ended < before && r->flags == 3)
	{
	  *at = r->next;
	  free (r);
	  dropped++;
	}
      else
	at = &r->next;
    }
  return dropped;
}

int
main (int argc, char **argv)
{
  long records = argc > 1 ? atol (argv[1]) : 200000;
  state = (argc > 2 ? strtoull (argv[2], NULL, 10) : 1) * 2654435761u + 1;
  int rounds = argc > 3 ? atoi (argv[3]) : 40;
  if (records < 1 || rounds < 1)
    {
      fprintf (stderr, "usage: listwalk [RECORDS [SEED [ROUNDS]]]\n");
      return 2;
    }
  struct record *first = make (0), *last = first;
  uint64_t now = 0, check = 0;
  for (long i = 1; i < records; i++)
    last = last->next = make (now += 7);
  for (int round = 0; round < rounds; round++)
    {
      for (uint32_t status = 200; status < 600; status += 100)
	check += report (first, status);
      long more = drop (&first->next, now / 64 * (round + 1));
      while (last->next)
	last = last->next;
      for (; more > 0; more--)
	last = last->next = make (now += 7);
    }
  printf ("listwalk: %ld records, check %llx\n", records,
	  (unsigned long long) check);
  return 0;
}
