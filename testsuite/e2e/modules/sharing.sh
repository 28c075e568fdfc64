# sharing.sh - the module sharing: true and false sharing of cache lines.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <pthread.h>
struct counters { long hits, misses; long pad[6]; long both, rest[7]; } c __attribute__ ((aligned (64)));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;
__attribute__ ((noipa)) void hit (struct counters *p) { p->hits++; }
__attribute__ ((noipa)) void miss (struct counters *p) { p->misses++; }
__attribute__ ((noipa)) void both (struct counters *p) { p->both++; }
static void *
work (void *arg)
{
  int me = arg != 0;
  for (int i = 0; i < 100; i++)
    {
      pthread_mutex_lock (&lock);
      while (turn != me)
	pthread_cond_wait (&turned, &lock);
      (me ? miss : hit) (&c);
      both (&c);
      turn = !me;
      pthread_cond_broadcast (&turned);
      pthread_mutex_unlock (&lock);
    }
  return 0;
}
int
main (void)
{
  pthread_t a, b;
  pthread_create (&a, 0, work, 0);
  pthread_create (&b, 0, work, &b);
  pthread_join (a, 0);
  pthread_join (b, 0);
  return c.hits != 100 || c.misses != 100 || c.both != 200;
}
END
compile_gen -fprofile-mem-modules=default,sharing a.c -o a -lpthread
run ./a
run "$memprof" validate a.memprof.json
expect_json a.memprof.json <<'END'
rows = {(r["site"], r["source"]): (r.get("same_bytes", 0), r.get("other_bytes", 0)) for r in p["sharing"]}
def at(function, kind):
    return site(function=function, kind=kind)["id"]
# Each turn but the first fetches the line that the other thread has written.
equal(rows[at("hit", "load"), at("miss", "store")], (0, 99))
equal(rows[at("miss", "load"), at("hit", "store")], (0, 100))
equal(rows[at("both", "load"), at("both", "store")], (199, 0))
END
run "$memprof" show --sharing a.memprof.json
expect out '^ +100 +0 +a\.c:7:.*p->misses.*a\.c:6:'
# Each thread reads the 64 lines of another one, whether that has ended meanwhile or not.
cat >b.c <<'END'
#include <pthread.h>
static volatile int a[4][1024] __attribute__ ((aligned (64)));
static pthread_barrier_t there;
static void *
work (void *p)
{
  long me = (long) p, sum = 0;
  for (int i = 0; i < 1024; i++)
    a[me][i] = i;
  pthread_barrier_wait (&there);
  for (int i = 0; i < 1024; i++)
    sum += a[(me + 1) % 4][i];
  return (void *) sum;
}
int
main (void)
{
  pthread_t threads[4];
  pthread_barrier_init (&there, 0, 4);
  for (long i = 0; i < 4; i++)
    pthread_create (&threads[i], 0, work, (void *) i);
  for (int i = 0; i < 4; i++)
    pthread_join (threads[i], 0);
  return 0;
}
END
compile_gen -fprofile-mem-modules=sharing b.c -o b -lpthread
run ./b
expect_json b.memprof.json 'equal([r.get("same_bytes") for r in p["sharing"]], [256])'
