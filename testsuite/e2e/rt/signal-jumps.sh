#!/bin/sh
# rt/signal-jumps.sh - handlers jump out of the runtime while it makes room: nothing
# is lost. Program, consumer and a busy loop share one processor, so that signals
# come where the program wakes the consumer and waits for it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
need taskset
cat >a.c <<'END'
#include <sys/time.h>
#include "testsuite/e2e/rt/jumps.h"
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
  counted_jumps
done
rm a
wait || :
