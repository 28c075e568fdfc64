#!/bin/sh
# rt/signal-steps.sh - a handler jumps out of the runtime at each instruction of the
# step to the next chunk, and again from what that has left: nothing is lost.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
need taskset
cat >a.c <<'END'
#include "testsuite/e2e/rt/jumps.h"
int main (int argc, char **argv)
{
  long wanted = atol (argv[argc - 1]);
  signal (SIGALRM, on_jump);
  sigsetjmp (env, 1);
  while (jumps < wanted)
    {
      if (jumps % 2 == 0)
        while (__mprt_room.cursor < __mprt_room.limit) { LOAD (&x); done++; }
      raise (SIGUSR1);
      LOAD (&x); done++;
      LOAD (&x); done++;
    }
  printf ("%ld %ld\n", done, jumps);
  return 0;
}
END
cat >step.c <<'END'
// Runs a program.  At its nth SIGUSR1 it makes n / 2 steps and gets SIGALRM instead.
#include <signal.h>
#include <unistd.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
int main (int argc, char **argv)
{
  int status;
  long n = 0;
  pid_t program = fork ();
  if (!program)
    return ptrace (PTRACE_TRACEME, 0, 0, 0) || execv (argv[argc > 1], argv + 1);
  while (waitpid (program, &status, 0) == program && WIFSTOPPED (status))
    {
      int signal = WSTOPSIG (status) == SIGTRAP ? 0 : WSTOPSIG (status);
      if (signal == SIGUSR1)
        {
          for (long i = n++ / 2; i > 0; i--)
            ptrace (PTRACE_SINGLESTEP, program, 0, 0), waitpid (program, &status, 0);
          signal = SIGALRM;
        }
      ptrace (PTRACE_CONT, program, 0, signal);
    }
  return WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
}
END
hand a.c -Wl,-z,now -o a
compile -O2 step.c -o step
./step /bin/true || skip "programs cannot be traced here"
# A step is several times faster where no other processor has to be woken.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
for more in "" fault=slow; do
  record taskset -c "$cpu" ./step ./a 600
  counted_jumps
  counted lost 0
done
