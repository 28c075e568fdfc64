// zero_size.c - objects and accesses of 0 bytes, and what lies right beyond an object.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct empty {};
struct tail { int count; int items[]; };
struct old_tail { int count; int items[0]; };
struct holder { struct empty none; int value; struct empty also; };

struct empty nothing, more_nothing[4];
int no_ints[0], some_ints[2] = {1, 2};
struct holder holders[2];
static volatile int zero;

// A pool that hands out the same address for nothing and for something.
static char pool[256];
static size_t used;
__attribute__ ((noipa, malloc, alloc_size (1))) static void *
pool_get (size_t n)
{
  void *p = pool + used;
  used += n;
  return p;
}

__attribute__ ((noipa)) static struct empty
pass (struct empty e, struct empty *to)
{
  *to = e;
  return *to;
}

__attribute__ ((noipa)) static long
heap (int rounds)
{
  long sum = 0;
  for (int i = 0; i < rounds; i++)
    {
      char *p = malloc (zero), *q = calloc (zero, 4), *r = calloc (4, zero);
      sum += p != q && q != r;
      p = realloc (p, 8);
      p[0] = 1;
      sum += p[0];
      p = realloc (p, zero);      // freed, or a new one of 0 bytes
      free (p);
      p = realloc (NULL, zero);
      void *aligned = NULL;
      sum += posix_memalign (&aligned, 64, zero) == 0;
      free (aligned);
      free (p);
      free (q);
      if (i % 2)
	free (r);
    }
  return sum;
}

__attribute__ ((noipa)) static long
tails (int n)
{
  struct tail *t = malloc (sizeof *t + n * sizeof t->items[0]);
  struct old_tail *o = malloc (sizeof *o);
  t->count = o->count = n;
  for (int i = 0; i < t->count; i++)
    t->items[i] = i;
  long sum = 0;
  for (int i = 0; i < t->count; i++)
    sum += t->items[i] + (o->items + i == &o->items[n]);
  free (t);
  free (o);
  return sum;
}

__attribute__ ((noipa)) static long
stack (int n)
{
  char *a = alloca (n);
  char vla[n + 1], none[n];
  memset (a, 1, n);
  memset (none, 2, n);
  memset (vla, 3, sizeof vla);
  struct empty e[3], f = pass (e[0], &e[1]);
  pass (f, more_nothing + 1);
  nothing = f;
  return vla[0] + (n ? a[0] + none[0] : 0) + sizeof e;
}

__attribute__ ((noipa)) static long
copies (char *to, const char *from, size_t n)
{
  memcpy (to, from, n);
  memmove (to, from, n);
  memset (to, 0, n);
  return memcmp (to, from, n) + strncmp (to, from, n);
}

// Reads the bytes beyond an object, in another one or in none.
__attribute__ ((noipa)) static long
beyond (volatile char *p, size_t n, int back)
{
  return p[n] + (back ? p[-1] : 0);
}

int
main (void)
{
  long sum = heap (5) + tails (zero) + tails (3) + stack (zero) + stack (4);
  sum += copies (pool, pool + 64, zero) + copies (pool, pool + 64, 8);
  for (int i = 0; i < 6; i++)
    {
      char *p = pool_get (i % 2 ? 16 : zero);
      p[0] = i;
      sum += p[0];
    }
  for (int i = zero; i < 2; i++)
    {
      holders[i].value = some_ints[i];
      holders[i].none = nothing;
      sum += holders[i].value + (no_ints == some_ints);
    }
  char *two = malloc (48);
  memset (two, 5, 48);
  sum += beyond (two, 24, 0) + beyond (two + 1, 46, 1);
  char *nothing_there = malloc (zero);
  beyond (nothing_there, 0, 0);
  free (two);
  free (nothing_there);
  char *leaked = malloc (zero);
  sum += leaked != NULL;
  printf ("%d\n", sum > 0);
  return 0;
}
