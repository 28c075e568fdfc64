#!/bin/sh
# thread-churn.sh - eight threads allocate, pass objects on, and free what came
# from others, whose memory is used again at once: no access is attributed to an
# object that is dead or not yet born.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
: "${MEMPROF_CHURN_OBJECTS:=80000}"
cat >a.c <<'END'
/* Four kinds of objects, each with sites of its own, of sizes that malloc takes
   for the same.  */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { THREADS = 8, KINDS = 4 };
struct item { struct item *next; long kind, value; char more[]; };
static struct inbox { pthread_mutex_t lock; struct item *first; char pad[64]; } inbox[THREADS];
static pthread_barrier_t all;
static long each, result[THREADS];
#define KIND(k)								\
  static __attribute__ ((noinline)) struct item *make##k (long value)	\
  {									\
    struct item *p = malloc (sizeof *p + 10 + k);			\
    p->value = value;							\
    return p;								\
  }									\
  static __attribute__ ((noinline)) long use##k (struct item *p) { return p->value; }
KIND (0)
KIND (1)
KIND (2)
KIND (3)
static struct item *(*const make[]) (long) = { make0, make1, make2, make3 };
static long (*const use[]) (struct item *) = { use0, use1, use2, use3 };
static long drain (struct inbox *from)
{
  pthread_mutex_lock (&from->lock);
  struct item *p = from->first;
  from->first = 0;
  pthread_mutex_unlock (&from->lock);
  long sum = 0;
  while (p)
    {
      struct item *next = p->next;
      sum += use[p->kind] (p);
      free (p);
      p = next;
    }
  return sum;
}
static void *work (void *argument)
{
  long me = (long) argument;
  unsigned x = (unsigned) me * 2654435761u + 1;
  for (long i = 0; i < each; i++)
    {
      x = x * 1664525u + 1013904223u;
      struct item *p = make[x >> 30] (i);
      p->kind = x >> 30;
      struct inbox *to = &inbox[(me + 1 + (x >> 20) % (THREADS - 1)) % THREADS];
      pthread_mutex_lock (&to->lock);
      p->next = to->first;
      to->first = p;
      pthread_mutex_unlock (&to->lock);
      if (i % 4 == 3)
	result[me] += drain (&inbox[me]);
    }
  pthread_barrier_wait (&all);
  result[me] += drain (&inbox[me]);
  return 0;
}
int main (int argc, char **argv)
{
  pthread_t t[THREADS];
  each = argc > 1 ? atol (argv[1]) / THREADS : 10;
  pthread_barrier_init (&all, 0, THREADS);
  for (long i = 0; i < THREADS; i++) pthread_mutex_init (&inbox[i].lock, 0);
  for (long i = 0; i < THREADS; i++) pthread_create (t + i, 0, work, (void *) i);
  long sum = 0;
  for (long i = 0; i < THREADS; i++) pthread_join (t[i], 0), sum += result[i];
  printf ("%s\n", sum == THREADS * (each * (each - 1) / 2) ? "right" : "wrong");
  return 0;
}
END
compile_gen -O2 -g -pthread a.c -o a
run -o merge=0 ./a "$MEMPROF_CHURN_OBJECTS"
expect out '^right$'
sed "s/OBJECTS/$MEMPROF_CHURN_OBJECTS/" >checks <<'END'
equal((p["run"]["complete"], p["run"]["events_lost"]), (True, 0))
made = [group("make%d" % k) for k in range(4)]
equal(sum(g["objects"] for g in made), OBJECTS)
for k in range(4):
    # One store writes what one load reads; both know whose object it is.
    for function, kind in (("make%d" % k, "store"), ("use%d" % k, "load")):
        s = only(sites(function=function, kind=kind), function)
        equal(s["executions"], made[k]["objects"], function)
        equal(points_to(s), [(made[k], s["executions"])], function)
    # In and after the loop, but of no other store.
    rows = deps(sink=site(function="use%d" % k, kind="load"), kind="raw")
    equal({r["source"] for r in rows}, {site(function="make%d" % k, kind="store")["id"]})
    equal(sum(r["count"] for r in rows), made[k]["objects"])
END
expect_json a.memprof.json <checks
