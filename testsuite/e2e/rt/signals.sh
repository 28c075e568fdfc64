# Handlers record into a ring of their own: not one record is lost or torn.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x[8];
static volatile long handled, jumps;
static sigjmp_buf env;
static void on_alarm (int s) { (void) s; for (int i = 0; i < 7; i++) STORE (x); handled++; }
static void on_jump (int s, siginfo_t *i, void *c)
{ (void) s; (void) i; (void) c; STORE (x); jumps++; siglongjmp (env, 1); }
int main (void)
{
  struct sigaction a = { 0 }, old;
  long loads = 0;
  a.sa_handler = on_alarm;
  a.sa_flags = SA_RESTART;
  sigaction (SIGALRM, &a, 0);
  a.sa_sigaction = on_jump;
  a.sa_flags = SA_SIGINFO;
  sigaction (SIGVTALRM, &a, 0);
  struct itimerval t = { { 0, 97 }, { 0, 97 } };
  struct itimerval v = { { 0, 1009 }, { 0, 1009 } };
  setitimer (ITIMER_REAL, &t, 0);
  sigset_t alarm;
  sigemptyset (&alarm), sigaddset (&alarm, SIGALRM);
  // Phase 1: one kind of handler at a time, records and births between.
  for (long i = 0; i < 3000000; i++) LOAD (x), loads++;
  for (long i = 0; i < 100000; i++) free (malloc (16));
  sigprocmask (SIG_BLOCK, &alarm, 0);
  // Phase 2: left by siglongjmp.
  volatile long done = 0;
  sigsetjmp (env, 1);
  if (!jumps)
    setitimer (ITIMER_VIRTUAL, &v, 0);
  while (jumps < 50) { LOAD (x); done++; }
  v.it_value.tv_usec = v.it_interval.tv_usec = 0;
  setitimer (ITIMER_VIRTUAL, &v, 0);
  sigaction (SIGALRM, 0, &old);
  if (old.sa_handler != on_alarm || old.sa_flags & SA_SIGINFO) return 1;
  sigaction (SIGVTALRM, 0, &old);
  if (old.sa_sigaction != on_jump) return 2;
  printf ("%ld %ld %ld %ld\n", loads, done, handled, jumps);
  return handled < 100;
}
END
hand a.c -o a
record ./a
read -r loads done handled jumps <out
counted stores $((7 * handled + jumps))
counted lost 0
# A jump may come between a record and the counter that counts it.
got=$(sed -n 's/^process.* loads=\([0-9]*\).*/\1/p' count)
[ "$got" -ge $((loads + done)) ] && [ "$got" -le $((loads + done + jumps)) ] \
  || fail "$got loads, expected $((loads + done)) and at most $jumps more"
passed
cat >b.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
static int calls, with_info;
static void plain (int s) { (void) s; STORE (&x); calls++; }
static void info (int s, siginfo_t *i, void *c)
{ (void) c; STORE (&x); with_info += i->si_signo == s && i->si_value.sival_int == 42; }
static void outer (int s) { (void) s; STORE (&x); raise (SIGUSR2); STORE (&x); }
int main (void)
{
  struct sigaction a = { 0 }, old;
  if (signal (SIGUSR1, plain) != SIG_DFL) return 1;
  raise (SIGUSR1);
  if (signal (SIGUSR1, SIG_IGN) != plain) return 2;
  raise (SIGUSR1);
  if (signal (SIGUSR1, SIG_DFL) != SIG_IGN) return 3;
  a.sa_handler = plain, a.sa_flags = SA_RESETHAND;
  sigaction (SIGUSR1, &a, 0);
  raise (SIGUSR1);
  sigaction (SIGUSR1, 0, &old);
  if (old.sa_handler != SIG_DFL) return 4;
  a.sa_sigaction = info, a.sa_flags = SA_SIGINFO | SA_ONSTACK;
  static char other_stack[65536];
  stack_t st = { .ss_sp = other_stack, .ss_size = sizeof other_stack };
  sigaltstack (&st, 0);
  sigaction (SIGUSR1, &a, &old);
  union sigval v = { .sival_int = 42 };
  sigqueue (getpid (), SIGUSR1, v);
  sigaction (SIGUSR1, 0, &old);
  if (old.sa_sigaction != info || !(old.sa_flags & SA_SIGINFO)) return 5;
  if (sigaction (SIGKILL, &a, 0) != -1) return 6;
  if (calls != 2 || with_info != 1) return 7;
  // A handler inside a handler: counted as lost, nothing else.
  signal (SIGUSR2, plain);
  signal (SIGUSR1, outer);
  raise (SIGUSR1);
  LOAD (&x);
  return calls != 3;
}
END
sed -i 's/#include <stdio.h>/#include <stdio.h>\n#include <unistd.h>/' b.c
hand b.c -o b
record ./b
counted stores 5
counted loads 1
counted lost 1
