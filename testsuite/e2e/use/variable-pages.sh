# use/variable-pages.sh - large variables that are zero at first get huge pages: of C, C++ and
# Fortran, also of a unit without functions and at link time; others do not; remarks say why.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=TLB=1536/12 # decisions do not depend on this machine

cat >a.c <<'END2'
#include <stdio.h>
enum { N = 1 << 21 };
extern int other[N];
static int keys[N], counts[N / 16], full[N / 8] = { 7 };
int small[1000];
int main (int argc, char **argv)
{
  static unsigned x = 1;
  for (int i = 0; i < N; i++)
    {
      keys[i] = (x = x * 1664525 + 1013904223) >> 15;
      counts[keys[i] % (N / 16)]++;
      other[i] += full[i % (N / 8)] + small[i % 1000];
    }
  long sum = 0, huge = 0, kb;
  for (int i = 0; i < N; i++)
    sum = sum * 3 + keys[i] + other[i] + counts[i % (N / 16)];
  char line[256];
  FILE *f = argc > 1 ? fopen ("/proc/self/smaps", "r") : NULL;
  while (f && fgets (line, sizeof line, f))
    if (sscanf (line, "AnonHugePages: %ld kB", &kb) == 1)
      huge += kb;
  if (f)
    fprintf (stderr, "huge %ld\n", huge / 1024);
  printf ("%ld\n", sum);
  return 0;
}
END2
echo 'int other[1 << 21];' >b.c
compile_plain a.c b.c -o plain
for flags in '' -fcommon '-fno-pie -no-pie' -static -flto '-fdata-sections -Wl,--gc-sections'; do
  # shellcheck disable=SC2086
  compile_gen $flags a.c b.c -o a
  rm -f ./*.memprof.json remarks
  run ./a
  # shellcheck disable=SC2086
  compile_use $flags -fprofile-mem-remarks=remarks a.c b.c -o a
  for name in keys counts other; do
    expect remarks "\"function\":\"$name\",\"kind\":\"huge-pages\",\"taken\":true"
  done
  expect remarks '"function":"full".*no huge pages: its initial value is in the program'
  expect_not remarks '"function":"small"'
  same_output ./plain ./a
  MPRT_ARENA=report ./a 2>report >/dev/null
  expect report 'arena: 3 variables, (1[6-9]|2[0-2]) MB advised'
  grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled && continue
  ./a x 2>huge >/dev/null
  expect huge '^huge (1[0-9]|2[0-2])$' # a page with the seam of two variables may stay small
  MPRT_ARENA=off ./a x 2>huge >/dev/null
  expect huge '^huge 0$'
done
nm a >symbols # nothing else of the library comes with it
expect_not symbols __mprt_hot_malloc
compile_use -fopt-info-all a.c b.c -o a 2>info
expect info 'a.c:4:12: optimized: memprof: keys: huge pages for the variable: 8.4 MB'
echo '@huge-pages counts' >veto
compile_use -fprofile-mem-veto=veto a.c b.c -o a
MPRT_ARENA=report ./a 2>report >/dev/null
expect report 'arena: 2 variables'
compile_use -fsanitize=address a.c b.c -o a
same_output ./plain ./a
# Without a program beside the profile, which would say what its build did.
rm a
"$memprof" advise a.memprof.json >advice
expect advice 'needs the code, whether it is zero at first'
# A shared library has its table, and nothing reads it.
compile_use -shared -fPIC b.c -o libb.so
compile_use a.c -L. -lb -Wl,-rpath,. -o a
same_output ./plain ./a

cat >v.cc <<'END2'
#include <cstdio>
inline double shared[1 << 19];
template <typename T> struct holder { static T values[1 << 19]; };
template <typename T> T holder<T>::values[1 << 19];
int main ()
{
  for (int i = 0; i < 1 << 19; i++)
    shared[i * 7 & 0x7ffff] += holder<float>::values[i] += 1;
  std::printf ("%g\n", shared[1]);
}
END2
compile_plain v.cc -o plain
compile_gen v.cc -o v
run ./v
compile_use v.cc -o v
same_output ./plain ./v
MPRT_ARENA=report ./v 2>report >/dev/null
expect report 'arena: 2 variables'

cat >f.f90 <<'END2'
program p
  integer, parameter :: n = 524288
  real(8) :: x(n), y(n)
  integer, save :: k(n)
  integer :: i
  common /arrays/ x, y
  do i = 1, n
    x(i) = i; y(mod (i * 7, n) + 1) = i; k(i) = mod (i, 5)
  end do
  print *, sum (x * k), sum (y)
end program
END2
compile_plain f.f90 -o plain
compile_gen f.f90 -o f
run ./f
compile_use f.f90 -o f
same_output ./plain ./f
MPRT_ARENA=report ./f 2>report >/dev/null
expect report 'arena: 2 variables' # the block, and k
