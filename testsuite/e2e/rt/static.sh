# The static library, by way of the linker's --wrap.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.cc <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
extern "C" {
#include "testsuite/e2e/rt/hand.h"
}
static long x;
static void on_signal (int) { STORE (&x); }
static void *work (void *p) { LOAD (&x); free (malloc (3)); return p; }
struct AtEnd { ~AtEnd () { STORE (&x); } } at_end;
int main ()
{
  pthread_t t;
  signal (SIGUSR1, on_signal);
  raise (SIGUSR1);
  pthread_create (&t, nullptr, work, nullptr);
  pthread_join (t, nullptr);
  if (fork () == 0) { LOAD (&x); _exit (2); }
  int status;
  wait (&status);
  delete new std::vector<std::string> (10);
  return WEXITSTATUS (status) + 5;
}
END
for how in -static -static-pie; do
  hand_static $how a.cc -o a
  record -s 7 ./a
  counted loads 1 1
  counted status 2 1
  counted loads 1 2
  counted stores 2 2
  counted status 7 2
  counted complete 1 2
  counted threads 2 2
done
