# A library of which the program needs only what the runtime interposes, which the linker
# leaves out, is there all the same; and what dlerror has to say stays the program's.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >parallel.c <<'END'
#include <stdio.h>
int main (void)
{
  int sum = 0;
#pragma omp parallel num_threads (3)
  {
#pragma omp critical
    sum++;
#pragma omp barrier
  }
  printf ("%d\n", sum);
}
END
cat >guard.cc <<'END'
#include <stdio.h>
#include <unistd.h>
static int known () { static bool found = getpid () != 0; return found; }
int main () { printf ("%d\n", known () + known ()); }
END
cat >errors.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void *nothing (void *p) { return p; }
int main (void)
{
  pthread_t t;
  void *h = dlopen ("no-such-library.so", RTLD_LAZY);
  pthread_create (&t, NULL, nothing, NULL);
  pthread_join (t, NULL);
  printf ("%d %s\n", h != NULL, dlerror ());
  h = dlopen ("libm.so.6", RTLD_LAZY);
  printf ("%d %d\n", dlsym (h, "none") != NULL, dlsym (h, "sin") != NULL);
}
END
for program in "-fopenmp parallel.c" guard.cc errors.c; do
  compile_plain $program -o plain
  for mode in full sample objects; do
    compile_gen -Wl,--as-needed -fprofile-mem-mode=$mode $program -o a
    same_output ./plain ./a
    expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
    rm a.memprof.json
  done
done
