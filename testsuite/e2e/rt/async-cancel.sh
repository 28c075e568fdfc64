#!/bin/sh
# rt/async-cancel.sh - threads are cancelled asynchronously wherever they are: in a
# record, in the runtime, in a loop of any kind.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
long table[1 << 12], places[1 << 12], cleaned;
struct node { struct node *next; long value; } ring[64];
static void clean (void *arg) { (void) arg; __atomic_add_fetch (&cleaned, 1, __ATOMIC_SEQ_CST); }
__attribute__ ((noipa)) void
leaf (void) { volatile long x[8]; for (long i = 0; i < 3; i++) x[i] = i; }
static void *
spin (void *arg)
{
  long kind = (long) arg, s = 0;
  pthread_cleanup_push (clean, 0);
  pthread_setcanceltype (PTHREAD_CANCEL_ASYNCHRONOUS, 0);
  volatile long x[64];
  for (long i = 0;; i++)
    if (kind == 0) x[i & 63] = i;
    else if (kind == 1) leaf ();
    else if (kind == 2) for (int k = 0; k < 1 << 12; k++) s += table[places[k]];
    else for (struct node *p = ring; p->next; p = p->next) s += p->value;
  pthread_cleanup_pop (0);
  return (void *) s;
}
int
main (void)
{
  for (int i = 0; i < 63; i++) ring[i].next = &ring[i + 1];
  for (long k = 0; k < 120; k++)
    {
      pthread_t thread;
      void *result;
      pthread_create (&thread, 0, spin, (void *) (k & 3));
      usleep (500 + k * 13);
      pthread_cancel (thread);
      pthread_join (thread, &result);
      if (result != PTHREAD_CANCELED) puts ("not cancelled");
    }
  printf ("cleaned %ld\n", cleaned);
}
END
for how in "" $branches -fprofile-mem-mode=sample; do
  # shellcheck disable=SC2086
  compile_gen $how a.c -pthread -o a
  run -o merge=0 ./a
  expect out '^cleaned 120$'
  expect_not out 'not cancelled'
  validate a.memprof.json
done
