# More threads than rings: those without one lose their records, and say so.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >c.c <<'END'
/* Far more threads than rings, one after the other and at once. */
#include <pthread.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
static pthread_barrier_t all;
static void *one (void *p) { LOAD (&x); return p; }
static void *two (void *p) { STORE (&x); pthread_barrier_wait (&all); STORE (&x); return p; }
int main (void)
{
  static pthread_t t[1200];
  pthread_attr_t a;
  for (int i = 0; i < 3000; i++)
    {
      if (pthread_create (t, 0, one, 0)) return 1;
      pthread_join (t[0], 0);
    }
  pthread_attr_init (&a);
  pthread_attr_setstacksize (&a, 65536);
  pthread_barrier_init (&all, 0, 1200);
  for (int i = 0; i < 1200; i++)
    if (pthread_create (t + i, &a, two, 0)) return 2;
  for (int i = 0; i < 1200; i++) pthread_join (t[i], 0);
  return 0;
}
END
more=
hand c.c -o c
record timeout 100 ./c
counted loads 3000
stores=$(sed -n 's/^process.* stores=\([0-9]*\).*/\1/p' count)
lost=$(sed -n 's/^process.* lost=\([0-9]*\).*/\1/p' count)
[ "$stores" -ge 2046 ] || fail "only $stores stores of 1023 threads with rings"
# A store, a ticket, a store, and the thread's end, of each that had none.
[ "$lost" -ge $((2400 - stores)) ] || fail "$stores stores and $lost lost make no 2400"
passed
