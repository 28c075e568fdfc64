# Threads that run on while the program ends lose nothing: without the wait for the
# profile they would have stopped.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static volatile long cell[2][100];
static volatile int running;
static void *forever (void *p)
{
  for (running = 1;;)
    for (int i = 0; i < 100; i++) cell[1][i]++;
  return p;
}
static void *end (void *p)
{
  while (!running) ;
  for (int i = 0; i < 100; i++) cell[0][i]++;
  exit (p ? 9 : 8);
}
int main (void)
{
  pthread_t t;
  pthread_create (&t, 0, forever, 0);
  pthread_create (&t, 0, end, &t);
  pthread_join (t, 0);
  return 1;
}
END
compile_gen -pthread a.c -o a
run -s 9 ./a
expect_json a.memprof.json <<'END'
equal(p["run"]["events_lost"], 0)
equal(p["run"]["complete"], True)
equal(site(line=14, kind="store")["executions"], 100)
END
