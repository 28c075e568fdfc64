/* census.c - questions to a table of people, records of 256 bytes.
   SPDX-License-Identifier: GPL-3.0-or-later

     census [PEOPLE [SEED [QUESTIONS]]]

   A person has its fields by purpose: who it is, where it lives, what it works,
   its household.  Each question goes through the whole table and needs one field
   of each, so that all four lines of a record are loaded.  With -DHAND: these
   fields first, as a yardstick; -DHAND_PREFETCH: the record that is 64 people ahead
   is prefetched, since the hardware does not follow single lines of records.  */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct person
{
#ifdef HAND
  int age, region, income, children;
#endif
  char first_name[20], last_name[24];	/* who it is */
#ifndef HAND
  int age;
#endif
  int sex;
  char street[32], town[24];		/* where it lives */
  int number, postcode;
#ifndef HAND
  int region;
#endif
  char trade[28];			/* what it works */
  int since, hours;
#ifndef HAND
  int income;
#endif
  int tax;
  char bank[32];			/* its household */
  int rooms, cars;
#ifndef HAND
  int children;
#endif
  int spare[11], last;		/* a record that ends in an array keeps its layout */
};

static uint64_t state;

static unsigned
next_random (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 24;
}

/* The income per head of those in REGION who are older than AGE.  */

__attribute__ ((noinline)) static long
ask (const struct person *people, long count, int age, int region)
{
  long income = 0, heads = 1;
  for (long i = 0; i < count; i++)
    {
      const struct person *p = &people[i];
#ifdef HAND_PREFETCH
      __builtin_prefetch (p + 64);
#endif
      long counts = (p->age > age) & (p->region == region);
      income += counts * p->income;
      heads += counts * (1 + p->children);
    }
  return income / heads;
}

int
main (int argc, char **argv)
{
  long count = argc > 1 ? atol (argv[1]) : 200000;
  state = (argc > 2 ? strtoull (argv[2], NULL, 10) : 1) * 2654435761u + 1;
  int questions = argc > 3 ? atoi (argv[3]) : 60;
  struct person *people = count > 0 ? calloc (count, sizeof *people) : NULL;
  if (!people || sizeof (struct person) != 256)
    {
      fprintf (stderr, "usage: census [PEOPLE [SEED [QUESTIONS]]]\n");
      return 2;
    }
  for (long i = 0; i < count; i++)
    {
      struct person *p = &people[i];
      p->number = i;
      p->age = next_random () % 95;
      p->region = next_random () % 16;
      p->income = next_random () % 90000;
      p->children = next_random () % 4;
      p->tax = p->income / 5;
    }
  long sum = 0;
  for (int q = 0; q < questions; q++)
    sum = sum * 3 + ask (people, count, q % 70, q % 16);
  for (long i = 0; i < count; i++)
    sum += people[i].tax ^ people[i].number;
  printf ("census: %ld people, check %lx\n", count, sum);
  return 0;
}
