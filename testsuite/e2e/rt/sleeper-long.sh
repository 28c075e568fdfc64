#!/bin/sh
# rt/sleeper-long.sh - no thread waits for one that sleeps, or that holds a
# mutex while its ring is full; short threads give their chunks back.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
/* One thread sleeps for ten seconds, its first chunk half full; meanwhile
   another one produces 1 GB.  */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
enum { STORES = 1000000000 / 16 };
static long x;
static volatile int filled, awake;
static void *sleeper (void *p)
{
  for (int i = 0; i < 2048; i++) LOAD (&x);
  filled = 1;
  sleep (10);
  awake = 1;
  for (int i = 0; i < 2048; i++) LOAD (&x);
  return p;
}
int main (void)
{
  pthread_t t;
  pthread_create (&t, 0, sleeper, 0);
  while (!filled) usleep (1000);
  for (long i = 0; i < STORES; i++) STORE (&x);
  puts (awake ? "waited for the sleeper" : "it still sleeps");
  pthread_join (t, 0);
  return 0;
}
END
more=
hand a.c -o a
record timeout 100 ./a
expect out '^it still sleeps$'
counted loads 4096
counted stores 62500000
counted lost 0
counted complete 1
# The same with the real backend.
run -o "output=$PWD/a.json:backend=$MEMPROF_BUILDDIR/memprof-backend" timeout 200 ./a
expect_json a.json <<'END'
equal((p["run"]["complete"], p["run"]["events_lost"]), (True, 0))
equal((p["run"]["loads"], p["run"]["stores"]), (4096, 62500000))
END

cat >b.c <<'END'
/* Two threads hand a mutex to and fro; each fills chunks while it has it, and
   the consumer is slow: the one that waits for the mutex has a part of a chunk
   that the records of the other thread must follow.  */
#include <pthread.h>
#include "testsuite/e2e/rt/hand.h"
enum { ROUNDS = 300, STORES = 5000 };
static long x, turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void *work (void *p)
{
  long me = p == &x;
  for (int i = 0; i < ROUNDS; i++)
    {
      LOAD (&turn);
      pthread_mutex_lock (&lock);
      while (turn != me) pthread_cond_wait (&changed, &lock);
      for (int k = 0; k < STORES; k++) STORE (&x);
      turn = !me;
      pthread_cond_signal (&changed);
      pthread_mutex_unlock (&lock);
    }
  return 0;
}
int main (void)
{
  pthread_t t[2];
  pthread_create (t, 0, work, &x);
  pthread_create (t + 1, 0, work, &turn);
  for (int i = 0; i < 2; i++) pthread_join (t[i], 0);
  return 0;
}
END
more=fault=slow
hand b.c -o b
record timeout 200 ./b
counted loads 600
counted stores 3000000
counted lost 0

cat >c.c <<'END'
/* A thousand threads that end soon, as many at once as there are, 200 KB each;
   then what the rings have taken of the shared memory.  */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "testsuite/e2e/rt/hand.h"
enum { THREADS = 1000, STORES = 12800 };
static long x;
static void *one (void *p) { for (int i = 0; i < STORES; i++) STORE (&x); return p; }
int main (void)
{
  static pthread_t t[THREADS];
  char line[200];
  for (int i = 0; i < THREADS; i++) if (pthread_create (t + i, 0, one, 0)) return 1;
  for (int i = 0; i < THREADS; i++) pthread_join (t[i], 0);
  FILE *f = fopen ("/proc/self/status", "r");
  while (fgets (line, sizeof line, f))
    if (!strncmp (line, "RssShmem:", 9)) fputs (line, stdout);
  return 0;
}
END
hand c.c -o c
record timeout 300 ./c
counted stores 12800000
counted threads 1001
counted lost 0
[ "$(sed -n 's/^RssShmem:[^0-9]*\([0-9]*\) kB/\1/p' out)" -le $((256 * 1024 + 512)) ] \
  || fail "the rings take $(cat out)"
passed
