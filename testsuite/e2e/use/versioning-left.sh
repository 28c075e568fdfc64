# versioning-left.sh - loops that are left by an exception, or never, or divide in
# some iterations: a load after that place, or the division, is not performed in
# front of the loop, where it would fault.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

plugin=$(plugin_file)
cat >a.cc <<'END'
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/time.h>
#include <unistd.h>
#define KERNEL __attribute__ ((noinline, noclone))
enum { COUNT = 4000 };
static unsigned char to[COUNT], from[COUNT], seven = 7;
static int stop = -1, twelve = 12, three = 3, zero;
// Touches no memory that it is known for.
__attribute__ ((noinline, noclone, const)) static int limit (int i)
{
  if (i == COUNT) throw i;
  return i & 3;
}
KERNEL static void throws (unsigned char *to, const unsigned char *key, int first, int n)
{
  for (int i = first; i < n; i++)
    {
      int more = limit (i);
      to[i % COUNT] = more + *key;
    }
}
KERNEL static void never (unsigned char *to, const unsigned char *from,
                          const unsigned char *key, int n)
{
  for (int i = 0; i < n; i++)
    {
      int y = i;
      if (from[i]) goto middle;
    top:
      y *= 2;
    middle:
      if (y == stop) goto top;
      to[i] = y + *key;
    }
}
KERNEL static int divides (unsigned char *to, const unsigned char *from,
                           const int *up, const int *down, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    {
      int a = *up, b = *down;
      sum += a ^ b;
      if (from[i]) to[i] = a / b;
      else to[i] = a;
    }
  return sum;
}
static void time_is_up (int) { if (write (1, "never\n", 6)) _exit (0); }
int main (int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "train";
  if (!std::strcmp (what, "train"))
    for (int k = 0; k < 10; k++)
      {
        throws (to, &seven, 0, COUNT);
        never (to, from, &seven, COUNT);
        std::printf ("%d\n", divides (to, from, &twelve, &three, COUNT));
      }
  else if (!std::strcmp (what, "throws"))
    try { throws (to, nullptr, COUNT, COUNT + 9); } catch (int i) { std::printf ("caught %d\n", i); }
  else if (!std::strcmp (what, "divides"))
    std::printf ("%d\n", divides (to, from, &twelve, &zero, COUNT));
  else
    {
      std::signal (SIGVTALRM, time_is_up);
      struct itimerval time = { { 0, 0 }, { 0, 300000 } };
      setitimer (ITIMER_VIRTUAL, &time, nullptr);
      stop = 0;
      never (to, from, nullptr, COUNT);
    }
  std::printf ("%d %d\n", to[1], to[COUNT - 1]);
}
END
compile_plain a.cc -o plain
compile_gen a.cc -o a
run ./a train
build () # OPTION...
{
  COMPILER=$CXX compile -specs="$specs" -g -fprofile-mem-use -fplugin="$plugin" \
    -fplugin-arg-memprof-eager -fopt-info-all=remarks "$@" a.cc -o use
}
for level in -O1 -O2 -O3; do
  rm -f remarks
  build $level -fchecking
  for kernel in train throws never divides; do
    same_output ./plain ./use $kernel
  done
done
noticed () # FAULT KERNEL
{
  build -O2 -fplugin-arg-memprof-fault="$1"
  if ./use "$2" >out.use 2>&1; then fail "$2 does not notice $1"; fi
  passed
}
each_fault plugin/faults.def
