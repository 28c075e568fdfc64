# However a program ends on its own, nothing is lost and its status is known.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
static void at_end (void) { LOAD (&x); }
static void *other (void *p) { usleep (20000); STORE (&x); return p; }
int main (int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "return";
  pthread_t t;
  STORE (&x);
  if (!strcmp (how, "quick_exit")) at_quick_exit (at_end), quick_exit (4);
  if (!strcmp (how, "_exit")) LOAD (&x), _exit (4);
  if (!strcmp (how, "_Exit")) LOAD (&x), _Exit (4);
  if (!strcmp (how, "last"))
    pthread_create (&t, 0, other, 0);
  if (!strcmp (how, "last") || !strcmp (how, "alone")) LOAD (&x), pthread_exit (0);
  atexit (at_end);
  if (!strcmp (how, "exit")) exit (4);
  if (!strcmp (how, "pthread_exit"))
    {
      pthread_create (&t, 0, other, 0);
      pthread_exit (0);
    }
  return 4;
}
END
hand a.c -o a
for how in return exit quick_exit _exit _Exit; do
  record -s 4 ./a $how
  counted status 4
  counted stores 1
  counted loads 1
  counted complete 1
done
# The thread that ends last is not the first one, or does nothing more itself.
for how in pthread_exit last alone; do
  record ./a $how
  counted loads 1
  counted complete 1
  [ $how = alone ] || counted stores 2
done
