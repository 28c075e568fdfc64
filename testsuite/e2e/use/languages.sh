# use/languages.sh - prefetches in C++ and Fortran, and at link time.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
cat >a.cc <<'END'
#include <cstdio>
#include <vector>
struct item { long key; double weight; };
int main ()
{
  size_t n = 1 << 20, m = 1 << 17;
  unsigned x = 1;
  std::vector<item> a (n);
  std::vector<int> b;
  for (size_t i = 0; i < n; i++) a[i].key = i * 2654435761u >> 5;
  for (size_t i = 0; i < m; i++)
    b.push_back ((x = x * 1664525 + 1013904223) >> 12);
  double sum = 0;
  for (int i : b)
    if (a[i].key & 1) sum += a[i].weight + 1;
  std::printf ("%g\n", sum);
}
END
cat >b.f90 <<'END'
program p
  implicit none
  integer, parameter :: n = 1048576, m = 131072
  real(8), allocatable :: a(:,:)
  integer, allocatable :: b(:)
  integer :: i
  integer(8) :: x
  real(8) :: s
  allocate (a(2,n), b(m))
  x = 1
  do i = 1, n
    a(1,i) = mod(i,3) - 1; a(2,i) = i
  end do
  do i = 1, m
    x = mod (x * 1103515245_8 + 12345_8, 2147483648_8)
    b(i) = int (mod (x / 8, int(n,8))) + 1
  end do
  s = 0
  do i = 1, m
    if (a(1,b(i)) > 0.5d0) s = s + a(2,b(i))
  end do
  print *, s
end program
END
for source in a.cc b.f90; do
  for lto in "" -flto; do
    # shellcheck disable=SC2086
    { compile_plain $source -o plain
      compile_gen $lto $source -o prog
      run ./prog
      compile_use $lto -fno-unroll-loops -fchecking -fopt-info-optimized $source -o use 2>remarks; }
    expect remarks "$source:[0-9]*:[0-9]*: optimized: memprof: .*: indirect prefetch"
    expect_equal "prefetches in $source $lto" "$(objdump -d use | grep -cE "prefetch|prfu?m")" 1
    same_output ./plain ./use
    rm -f prog.memprof.json
  done
done
