# In sample mode a program is not held up by a backend that has still to read its module.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
/* Every place is in a burst: PLACES times 24 bytes of records before the consumer
   begins, a second late.  */
#include <stdio.h>
#include <time.h>
static volatile long x;
__attribute__ ((noinline)) static void store (long i) { x = i; }
static double now (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
int main (void)
{
  double begin = now ();
  for (long i = 0; i < PLACES; i++) store (i);
  puts (now () - begin < 0.8 ? "went on" : "waited");
  return 0;
}
END
# The consumer knows no descriptors of GCC's, which is no matter here.
sample ()
{
  compile_gen -O2 -fprofile-mem-mode=sample -DPLACES="$1" a.c -o a
  run -o "backend=$consumer:output=count:fault=late:period=1000:burst=1000" timeout 60 ./a
}
sample 200000
expect out '^went on$'
# Not for ever.
sample 2000000
expect out '^waited$'
passed
