# The program cannot tell that a backend runs.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
static int children;
static void on_child (int s) { (void) s; children++; }
int main (void)
{
  signal (SIGCHLD, on_child);
  for (int i = 0; i < 100000; i++) LOAD (&x);
  int status;
  if (wait (&status) != -1 || errno != ECHILD) return 1;
  if (waitpid (-1, &status, __WALL | WNOHANG) != -1 || errno != ECHILD) return 2;
  if (waitid (P_ALL, 0, 0, WEXITED | __WALL | WNOHANG) != -1 || errno != ECHILD) return 3;
  if (children) return 4;
  // Descriptors: the next one is 3, and none is ours.
  int fd = open ("/dev/null", O_RDONLY);
  if (fd != 3) return 5;
  close (fd);
  DIR *d = opendir ("/proc/self/fd");
  int n = 0;
  for (struct dirent *e; (e = readdir (d));)
    if (e->d_name[0] != '.' && atoi (e->d_name) != dirfd (d)) n++;
  printf ("fds %d\n", n);
  closedir (d);
  sigset_t mask;
  sigprocmask (0, 0, &mask);
  for (int s = 1; s < 65; s++) if (sigismember (&mask, s)) return 6;
  for (int i = 0; i < 100000; i++) LOAD (&x);
  puts ("bye");
  return 0;
}
END
hand a.c -o a
exec 3>&-
record ./a </dev/null
off=$(MPRT_OPTIONS=off=1 ./a | grep fds)
expect out "^$off$"
expect out '^bye$'
expect_equal stderr "$(cat err)" ""
counted loads 200000
# Process 1 of a container would inherit it.
cat >first.c <<'END'
#include <errno.h>
#include <sys/wait.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
int main (void)
{
  int status;
  for (int i = 0; i < 100000; i++) LOAD (&x);
  return wait (&status) != -1 || errno != ECHILD;
}
END
hand first.c -o first
# An emulator has no child without a signal, and wait waits for the keeper.
if ! emulated && unshare -rpf true 2>/dev/null; then
  record timeout 60 unshare -rpf ./first
  counted loads 100000
  counted complete 1
fi
# Nothing waits for the backend: neither a substitution nor a pipe.
cat >hold.cc <<'END'
// A backend that outlives its program.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main ()
{
  dprintf (open (PIDS, O_WRONLY | O_CREAT | O_APPEND, 0600), "%d\n", getpid ());
  sleep (600);
  return 0;
}
END
compile_plain "-DPIDS=\"$PWD/pids\"" hold.cc -o hold
# stop_held N: when N of them run; whoever has come here did not wait for them.
held () { [ -f pids ] && [ "$(wc -l <pids)" = "$1" ]; }
stop_held () { wait_until held "$1"; kill -KILL $(cat pids) || fail "it has ended"; rm pids; }
cat >kill.c <<'END'
#include <signal.h>
#include <unistd.h>
#include <stdio.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
int main (void) { LOAD (&x); puts ("out"); fflush (stdout); kill (getpid (), SIGKILL); }
END
hand kill.c -o killed
MPRT_OPTIONS=backend=$PWD/hold; export MPRT_OPTIONS
text=$(./killed 2>/dev/null) || true
./killed 2>/dev/null | cat >piped || true
unset MPRT_OPTIONS
expect_equal substitution "$text" out
expect piped out
stop_held 2
passed
# A reader has the program's last output before the wait for the profile ends.
cat >out.c <<'END'
#include <stdio.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
int main (void) { LOAD (&x); puts ("last words"); return 0; }
END
hand out.c -o out_late
mkfifo words
MPRT_OPTIONS=backend=$PWD/hold ./out_late >words 2>late.err &
read -r line <words
expect_equal "the line read" "$line" "last words"
stop_held 1
passed
wait
expect late.err 'memprof-backend has died; no profile'
