/* health.c - patients in lists that move up a tree of hospitals.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: health [LEVELS [STEPS]]             4 children each

   Each step visits the whole tree and walks each hospital's three lists
   (waiting, in assessment, in treatment); patients are small heap objects that
   come, move from list to list and go.  */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct patient
{
  struct patient *next;
  int hospitals, time, left;
};
struct list
{
  struct patient *first;
};
struct hospital
{
  struct hospital *child[4];
  struct list waiting, assessed, treated;
  int free_staff;
  uint32_t seed;
};

static long gone, time_spent, visited;

static void *
allocate (size_t size)
{
  void *p = calloc (1, size);
  if (!p)
    exit (1);
  return p;
}

static void
append (struct list *l, struct patient *p)
{
  struct patient **at = &l->first;
  while (*at)
    at = &(*at)->next;
  p->next = NULL;
  *at = p;
}

static struct hospital *
make_hospital (int level, uint32_t seed)
{
  struct hospital *h = allocate (sizeof *h);
  h->seed = seed * 2654435761u + 1;
  h->free_staff = 1 << (level > 8 ? 8 : level);
  if (level > 1)
    for (int i = 0; i < 4; i++)
      h->child[i] = make_hospital (level - 1, seed * 4 + i + 1);
  return h;
}

static unsigned
chance (struct hospital *h)
{
  h->seed = h->seed * 1664525u + 1013904223u;
  return h->seed >> 16 & 1023;
}

/* One step of H and of what is below it; those it cannot help go to UP.  */
static void
step (struct hospital *h, struct list *up)
{
  for (int i = 0; i < 4; i++)
    if (h->child[i])
      step (h->child[i], &h->waiting);

  for (struct patient **at = &h->treated.first; *at;)
    {
      struct patient *p = *at;
      p->time++;
      if (--p->left > 0)
	{
	  at = &p->next;
	  continue;
	}
      *at = p->next;
      h->free_staff++;
      gone++, time_spent += p->time, visited += p->hospitals;
      free (p);
    }
  for (struct patient **at = &h->assessed.first; *at;)
    {
      struct patient *p = *at;
      p->time++;
      if (--p->left > 0)
	{
	  at = &p->next;
	  continue;
	}
      *at = p->next;
      if (chance (h) > 100 || !up)
	{
	  p->left = 10;
	  append (&h->treated, p);
	}
      else
	{
	  h->free_staff++;
	  append (up, p);
	}
    }
  for (struct patient **at = &h->waiting.first; *at;)
    {
      struct patient *p = *at;
      p->time++;
      if (!h->free_staff)
	{
	  at = &p->next;
	  continue;
	}
      *at = p->next;
      h->free_staff--;
      p->hospitals++;
      p->left = 3;
      append (&h->assessed, p);
    }
  if (!h->child[0] && chance (h) > 600)
    append (&h->waiting, allocate (sizeof (struct patient)));
}

int
main (int argc, char **argv)
{
  int levels = argc > 1 ? atoi (argv[1]) : 6, steps = argc > 2 ? atoi (argv[2]) : 600;
  if (levels < 1 || levels > 10)
    return 2;
  struct hospital *root = make_hospital (levels, 1);
  for (int i = 0; i < steps; i++)
    step (root, NULL);
  printf ("%ld patients, %ld steps, %ld hospitals\n", gone, time_spent, visited);
  return 0;
}
