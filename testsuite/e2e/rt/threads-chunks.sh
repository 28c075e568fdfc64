# Threads whose rings have grown leave chunks for the thread they wait for.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >c.c <<'END'
/* 300 threads fill almost a megabyte each, more than the pool has; then they
   wait for one that begins only now.  */
#include <pthread.h>
#include "testsuite/e2e/rt/hand.h"
enum { THREADS = 300, STORES = 61000 };
static long x;
static pthread_barrier_t filled, all;
static void *one (void *p)
{
  for (int i = 0; i < STORES; i++) STORE (&x);
  pthread_barrier_wait (&filled);
  pthread_barrier_wait (&all);
  return p;
}
static void *late (void *p) { LOAD (&x); pthread_barrier_wait (&all); return p; }
int main (void)
{
  static pthread_t t[THREADS + 1];
  pthread_barrier_init (&filled, 0, THREADS + 1);
  pthread_barrier_init (&all, 0, THREADS + 1);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create (t + i, 0, one, 0)) return 1;
  pthread_barrier_wait (&filled);
  if (pthread_create (t + THREADS, 0, late, 0)) return 2;
  for (int i = 0; i <= THREADS; i++) pthread_join (t[i], 0);
  return 0;
}
END
more=fault=late
hand c.c -o c
record timeout 60 ./c
counted loads 1
counted stores 18300000
counted lost 0
passed
