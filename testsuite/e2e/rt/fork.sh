# A forked child records into a stream of its own; waiting is undisturbed.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x[4];
int main (void)
{
  int status;
  for (int i = 0; i < 100000; i++) STORE (x);
  fflush (stdout);
  pid_t child = fork ();
  if (child == 0)
    {
      for (int i = 0; i < 30000; i++) LOAD (x);
      pid_t grandchild = fork ();
      if (grandchild == 0) { LOAD (x); exit (9); }
      if (wait (&status) != grandchild || WEXITSTATUS (status) != 9) exit (1);
      exit (7);
    }
  for (int i = 0; i < 5; i++) LOAD (x);
  if (waitpid (-1, &status, __WALL) != child || WEXITSTATUS (status) != 7) return 1;
  errno = 0;
  if (waitpid (-1, &status, __WALL) != -1 || errno != ECHILD) return 2;
  return 0;
}
END
hand a.c -o a
record ./a
counted loads 1 1
counted status 9 1
counted loads 30000 2
counted stores 0 2
counted units 1 2
counted loads 5 3
counted stores 100000 3
counted units 1 3
cat >b.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
int main (void)
{
  STORE (&x);
  for (int i = 0; i < 5; i++)
    if (fork () == 0) { execl ("/bin/true", "true", (char *) 0); _exit (1); }
    else wait (0);
  pid_t child = vfork ();
  if (child == 0) { LOAD (&x); execl ("/bin/true", "true", (char *) 0); _exit (1); }
  wait (0);
  if (vfork () == 0) { LOAD (&x); _exit (3); }
  wait (0);
  STORE (&x);
  return 0;
}
END
hand b.c -o b
record ./b
# Children that only call exec, and children of vfork, start nothing.
expect_equal processes "$(grep -c ^process count)" 1
counted stores 2
counted complete 1
cat >c.c <<'END'
/* The objects that live at the fork live in the child too. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
static char *p[1000];
int main (void)
{
  for (int i = 0; i < 1000; i++) p[i] = malloc (10);
  for (int i = 0; i < 100; i++) free (p[i]);
  STORE (&x);
  if (fork () == 0)
    {
      for (int i = 100; i < 200; i++) free (p[i]);   /* before its first record */
      p[200] = realloc (p[200], 10000);
      STORE (&x);
      for (int i = 300; i < 400; i++) free (p[i]);
      if (fork () == 0) { LOAD (&x); _exit (0); }
      wait (0);
      _exit (0);
    }
  wait (0);
  return 0;
}
END
hand -fno-builtin c.c -o c
record ./c
counted live 700 1
counted live 700 2
counted live 900 3
counted births 1000 3
cat >d.c <<'END'
/* daemon: the parent ends inside libc. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
int main (void)
{
  STORE (&x);
  if (daemon (1, 1)) return 1;
  LOAD (&x), LOAD (&x);
  return 5;
}
END
hand d.c -o d
record ./d
both () { [ "$(grep -c ^process count)" = 2 ]; }
wait_until both
sort count >sorted && mv sorted count
counted loads 0 1
counted complete 1 1
counted loads 2 2
counted status 5 2
