#!/bin/sh
# atomic-order.sh - threads that hand data over with atomics alone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static int data[300];
static atomic_int turn;
static atomic_flag fenced = ATOMIC_FLAG_INIT;
static void *
consumer (void *p)
{
  long sum = 0;
  for (int i = 0; i < 1000; i++)
    {
      while (atomic_load_explicit (&turn, memory_order_acquire) != 1)
	sched_yield ();
      sum += data[i % 300];
      atomic_store_explicit (&turn, 0, memory_order_release);
    }
  return sum == 999 * 500 ? p : 0;
}
int
main (void)
{
  pthread_t t;
  void *result;
  pthread_create (&t, 0, consumer, data);
  for (int i = 0; i < 1000; i++)
    {
      data[i % 300] = i;
      atomic_thread_fence (memory_order_release);
      atomic_store_explicit (&turn, 1, memory_order_relaxed);
      while (atomic_load (&turn) != 0)
	sched_yield ();
    }
  pthread_join (t, &result);
  atomic_flag_test_and_set (&fenced);
  return result != data;
}
END
compile_gen a.c -o a -pthread
for round in 1 2 3; do
  rm -f a.memprof.json
  run timeout 100 ./a
  expect_json a.memprof.json <<'END'
handed = deps(sink=site(line=15, kind="load"))
equal({d["source"] for d in handed}, {site(line=28, kind="store")["id"]})
equal(sum(d["count"] for d in handed), 1000)
# Every look at `turn' sees the store that the thread waited for.
seen = deps(site(line=16, kind="store"), site(line=31))
check(sum(d["count"] for d in seen) >= 1000)
END
done
