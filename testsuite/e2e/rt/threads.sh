# Threads: one ring each, tickets in order, the last destructor's records too.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.cc <<'END'
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>
#include <thread>
#include <mutex>
#include <condition_variable>
extern "C" {
#include "testsuite/e2e/rt/hand.h"
}
static long x[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static sem_t done;
struct Late { long n = 0; ~Late () { if (n) STORE (x); } };
static thread_local Late late;
static void on_key (void *) { STORE (x); }
static void work ()
{
  late.n = 1;
  pthread_setspecific (key, x);
  for (int i = 0; i < 2000; i++)
    {
      pthread_mutex_lock (&lock);
      LOAD (x + i % 64);
      pthread_mutex_unlock (&lock);
      free (malloc (32));
    }
}
static void *plain (void *p) { work (); return p; }
static void *leaves (void *) { work (); pthread_exit (x); }
static void *detached (void *) { work (); sem_post (&done); return 0; }
static int c11 (void *) { work (); return -17; }
static int tasks ()
{
  int n = 0;
  DIR *d = opendir ("/proc/self/task");
  while (dirent *e = readdir (d))
    n += e->d_name[0] != '.';
  closedir (d);
  return n;
}
int main ()
{
  const int own = tasks (); // an emulator has more than one
  sem_init (&done, 0, 0);
  pthread_key_create (&key, on_key);
  for (int round = 0; round < 20; round++)
    {
      pthread_t t[3]; thrd_t c; void *r; int n;
      pthread_attr_t a; pthread_attr_init (&a);
      pthread_attr_setdetachstate (&a, PTHREAD_CREATE_DETACHED);
      pthread_create (t, 0, plain, x);
      pthread_create (t + 1, 0, leaves, 0);
      pthread_create (t + 2, &a, detached, 0);
      thrd_create (&c, c11, 0);
      std::thread s (work);
      pthread_join (t[0], &r); if (r != x) return 1;
      pthread_join (t[1], &r); if (r != x) return 2;
      thrd_join (c, &n); if (n != -17) return 3;
      s.join ();
      sem_wait (&done);
    }
  // The detached threads run their destructors.
  while (tasks () > own)
    usleep (10000);
  return 0;
}
END
sed -i 's/#include <stdio.h>/#include <stdio.h>\n#include <unistd.h>/' a.cc
hand a.cc -o a
record ./a
counted loads 200000
counted stores 200
counted threads 101
counted lost 0
more=fault=slow
cat >b.c <<'END'
// A waits for B's mutex while B's ring is full: no thread must wait for ever.
#include <pthread.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work (void *p)
{
  for (int i = 0; i < 10; i++)
    {
      pthread_mutex_lock (&lock);
      for (int k = 0; k < 20000; k++) LOAD (&x);
      pthread_mutex_unlock (&lock);
    }
  return p;
}
int main (void)
{
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create (t + i, 0, work, 0);
  for (int i = 0; i < 3; i++) pthread_join (t[i], 0);
  return 0;
}
END
hand b.c -o b
record timeout 60 ./b
counted loads 600000
