#!/bin/sh
# rt-signal-jumps.sh - handlers jump out of the runtime while it makes room: nothing
# is lost. Program, consumer and a busy loop share one processor, so that signals
# come where the program wakes the consumer and waits for it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
need taskset
cat >a.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
static volatile long done, jumps;
static sigjmp_buf env;
static void on_jump (int s) { (void) s; STORE (&x); jumps++; siglongjmp (env, 1); }
int main (void)
{
  struct itimerval t = { { 0, 97 }, { 0, 97 } };
  signal (SIGALRM, on_jump);
  sigsetjmp (env, 1);
  // No signal may come before there is a place to jump to.
  if (!jumps)
    setitimer (ITIMER_REAL, &t, 0);
  while (jumps < 2000) { LOAD (&x); done++; }
  signal (SIGALRM, SIG_IGN);
  printf ("%ld %ld\n", done, jumps);
  return 0;
}
END
hand a.c -o a
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
timeout 100 taskset -c "$cpu" sh -c 'while [ -e a ]; do :; done' &
for round in 1 2 3 4 5; do
  record taskset -c "$cpu" ./a
  read -r done jumps <out
  counted stores "$jumps"
  loads=$(sed -n 's/^process.* loads=\([0-9]*\).*/\1/p' count)
  [ "$loads" -ge "$done" ] && [ "$loads" -le $((done + jumps)) ] \
    || fail "$loads loads, expected $done and at most $jumps more"
done
rm a
wait || :
