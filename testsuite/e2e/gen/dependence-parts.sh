#!/bin/sh
# dependence-parts.sh - intra + carried + no_loop = count: two threads in their loops, two
# loops in a row, a recursion; in every variant of the module.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <pthread.h>
#include <semaphore.h>
static sem_t turn[2];
static long shared, array[100];
static void *work (void *p)
{
  long me = (long) p;
  for (int i = 0; i < 50; i++)
    {
      sem_wait (&turn[me]);
      shared++;
      sem_post (&turn[!me]);
    }
  return 0;
}
__attribute__ ((noipa)) static long down (long n)
{
  long sum = 0;
  for (int i = 0; i < 2 && n; i++)
    {
      array[n] += n;
      sum += down (n - 1) + array[n - 1];
    }
  return sum;
}
int main (void)
{
  pthread_t t[2];
  sem_init (&turn[0], 0, 1);
  sem_init (&turn[1], 0, 0);
  for (long i = 0; i < 2; i++)
    pthread_create (&t[i], 0, work, (void *) i);
  for (int i = 0; i < 2; i++)
    pthread_join (t[i], 0);
  long sum = 0;
  for (int i = 0; i < 100; i++)
    array[i] = i;
  for (int i = 0; i < 100; i++)
    sum += array[i];
  return sum + down (5) == 0;
}
END
for module in dependence dependence:all dependence:context dependence:readers; do
  rm -f a.memprof.json
  compile_gen -O1 -pthread -fprofile-mem-modules=$module a.c -o a
  run ./a
  run "$memprof" validate a.memprof.json
  expect_json a.memprof.json <<'END'
for d in p["dependences"]:
    equal(d["intra"] + d["carried"] + d["no_loop"], d["count"])
    equal(d["no_loop"] != 0, d["loop"] is None)
line = {s["id"]: s["line"] for s in sites()}
def raw(source, sink):
    return [d for d in deps(kind="raw") if line.get(d["source"]) == source and line[d["sink"]] == sink]
between = raw(11, 11)
equal(sum(d["no_loop"] for d in between), 99)
equal(sum(d["concurrent"] for d in between) >= 97, True)
equal([(d["count"], d["no_loop"], d["concurrent"]) for d in raw(37, 39)], [(100, 100, 0)])
equal(sum(d["intra"] for d in raw(21, 22)) > 0, True)
END
done
run "$memprof" show --loops a.memprof.json
expect out 'reads what another thread stored meanwhile'
run "$memprof" explain a.memprof.json a.c:39
expect out 'no loop in common'
