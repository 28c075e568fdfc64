# Each thread's stack is its own, also where the limit of the main one says nothing
# about the others.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
static pthread_barrier_t all;
__attribute__ ((noinline)) static void fill (volatile long *b)
{ for (int i = 0; i < 64; i++) b[i] = i; }
static void *work (void *p)
{
  volatile long own[64];
  pthread_barrier_wait (&all);
  fill (own);
  pthread_barrier_wait (&all);
  return p;
}
int main (int argc, char **argv)
{
  pthread_t t[4];
  pthread_attr_t attr;
  if (argc > 1)
    {
      pthread_attr_init (&attr);
      pthread_attr_setstacksize (&attr, atoi (argv[1]));
      pthread_setattr_default_np (&attr);
    }
  pthread_barrier_init (&all, 0, 4);
  for (int i = 0; i < 4; i++) pthread_create (t + i, 0, work, 0);
  for (int i = 0; i < 4; i++) pthread_join (t[i], 0);
  return 0;
}
END
compile_gen -pthread a.c -o a
for how in "ulimit -s unlimited; ./a" "./a 262144"; do
  rm -f a.memprof.json
  run sh -c "$how"
  expect_json a.memprof.json <<'END'
stacks = [g for g in p["groups"] if g["kind"] == "stack" and g["function"] != "thread 0"]
equal(len(stacks), 4)
equal([g["accesses"] >= 64 for g in stacks], [True] * 4)
equal([g for g in p["groups"] if g["kind"] == "unknown"], [])
END
done
