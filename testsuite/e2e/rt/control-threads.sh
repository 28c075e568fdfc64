#!/bin/sh
# control-threads.sh - a thread that waits meanwhile obeys memprof.h at once.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <memprof.h>
#include <pthread.h>
static int a[1000], b[1000];
static pthread_barrier_t barrier;
__attribute__ ((noinline)) static void
work (int *p, int n)
{
  for (int i = 0; i < n; i++)
    p[i * 7 % 1000]++;
}
static void
meet (void)
{
  pthread_barrier_wait (&barrier);
}
static void *
other (void *p)
{
  static const int n[] = { 10, 20, 40, 80, 160 };
  for (int i = 0; i < 5; i++)
    {
      work (p, n[i]);
      meet ();
      meet ();
    }
  return 0;
}
int
main (void)
{
  static void (*const calls[]) (void)
    = { memprof_reset, memprof_dump, memprof_stop, memprof_start, memprof_dump };
  pthread_t t;
  pthread_barrier_init (&barrier, 0, 2);
  if (pthread_create (&t, 0, other, a))
    return 1;
  for (int i = 0; i < 5; i++)
    {
      meet ();
      calls[i]();
      meet ();
    }
  pthread_join (t, 0);
  work (b, 1);
  return 0;
}
END
include=$MEMPROF_SRCDIR/runtime/target
[ -z "${MEMPROF_PREFIX:-}" ] || include=$MEMPROF_PREFIX/include
compile_gen -O1 -I "$include" a.c -o a -pthread
run ./a
# Not the 10 that were forgotten nor the 80 of the pause.
expect_json a.memprof.json <<'END'
equal(p["run"]["runs"], 3)
equal(p["run"]["complete"], True)
equal(site(line=9, kind="load")["executions"], 20 + 40 + 160 + 1)
END
