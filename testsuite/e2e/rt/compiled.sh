# Compiled programs end to end: forks, signals, threads, exec, libraries.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >fork.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__ ((noipa)) static long
sum (const long *p, int n)
{
  long s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s;
}
int main (void)
{
  long *p = calloc (100, sizeof *p);
  long s = 0;
  for (int i = 0; i < 3; i++)
    if (fork () == 0)
      _exit (sum (p, 100) + sum (p, 10 * i));
  while (wait (0) > 0)
    s++;
  return s + sum (p, 50) != 3;
}
END
compile_gen fork.c -o fork
run ./fork
validate fork.memprof.json
expect_json fork.memprof.json <<'END'
equal(site(line=9, kind="load")["executions"], 100 + 110 + 120 + 50)
equal(p["run"]["runs"], 4)
equal(p["run"]["complete"], True)
equal(group(kind="heap", line=14)["accesses"], 380)
END
cat >signal.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long handled;
static long cells[4];
__attribute__ ((noipa)) static void
touch (long *p)
{
  *p += 1;
}
static void on_alarm (int s) { (void) s; handled++; touch (cells); }
int main (void)
{
  struct itimerval t = { { 0, 200 }, { 0, 200 } };
  signal (SIGALRM, on_alarm);
  setitimer (ITIMER_REAL, &t, 0);
  for (long i = 0; i < 2000000; i++)
    touch (cells + 1);
  t.it_value.tv_usec = t.it_interval.tv_usec = 0;
  setitimer (ITIMER_REAL, &t, 0);
  printf ("%ld %ld\n", cells[0], cells[1]);
  return cells[0] != handled;
}
END
compile_gen signal.c -o signal
run ./signal
read -r in_handler in_main <out
expect_equal "calls in main" "$in_main" 2000000
expect_json signal.memprof.json "
equal(site(line=9, kind='load')['executions'], $in_handler + $in_main)
equal(site(line=9, kind='store')['executions'], $in_handler + $in_main)
equal(p['run']['events_lost'], 0)
equal(p['run']['complete'], True)"
cat >thread.c <<'END'
#include <pthread.h>
static long box;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;
static void *
reader (void *p)
{
  long s = 0;
  for (int i = 0; i < 1000; i++)
    {
      pthread_mutex_lock (&lock);
      while (!full)
	pthread_cond_wait (&changed, &lock);
      s += box;
      full = 0;
      pthread_cond_signal (&changed);
      pthread_mutex_unlock (&lock);
    }
  return (void *) s;
}
int main (void)
{
  pthread_t t;
  pthread_create (&t, 0, reader, 0);
  for (int i = 0; i < 1000; i++)
    {
      pthread_mutex_lock (&lock);
      while (full)
	pthread_cond_wait (&changed, &lock);
      box = i;
      full = 1;
      pthread_cond_signal (&changed);
      pthread_mutex_unlock (&lock);
    }
  void *s;
  pthread_join (t, &s);
  return (long) s != 499500;
}
END
compile_gen thread.c -pthread -o thread
run ./thread
expect_json thread.memprof.json <<'END'
store = site(line=31, kind="store")
load = site(line=15, kind="load")
equal(store["executions"], 1000)
equal(load["executions"], 1000)
equal({d["source"] for d in deps(sink=load)}, {store["id"]})
equal(sum(d["count"] for d in deps(sink=load)), 1000)
END
cat >lib.c <<'END'
static long n;
long visits (void) { return ++n; }
END
cat >open.c <<'END'
#include <dlfcn.h>
#include <unistd.h>
int main (int argc, char **argv)
{
  for (int i = 0; i < 20; i++)
    {
      void *h = dlopen ("./lib.so", RTLD_NOW);
      if (!h) return 1;
      if (((long (*) (void)) dlsym (h, "visits")) () != 1) return 2;
      dlclose (h);
    }
  if (argc < 2) return 0;
  execl (argv[0], "open", (char *) 0);
  return 3;
}
END
compile_gen -fPIC -shared lib.c -o lib.so
compile_gen open.c -o open
run ./open
expect_json open.memprof.json 'equal(site(module="lib.c", kind="store")["executions"], 20)'
run ./open again
expect_json open.memprof.json <<'END'
equal(site(module="lib.c", kind="store")["executions"], 60)
equal(p["run"]["complete"], True)
END
# verbose=1 tells what it cost.
run -o verbose=1 ./open
expect err '^memprof: waited [0-9]+ ms for the profile$'
expect err '^memprof: memprof-backend used [1-9][0-9]{3,5} kB of memory at most and [0-9]+ ms of processor time$'
