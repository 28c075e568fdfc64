# specs/languages.sh - gcc, g++ and gfortran take the same options.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.cc <<'END'
#include <vector>
int main ()
{
  std::vector<int> v;
  for (int i = 0; i < 100; i++) v.push_back (i);
  int s = 0;
  for (int x : v) s += x;
  return s != 4950;
}
END
cat >b.f90 <<'END'
program b
  integer :: i, a(100), s
  volatile :: a
  do i = 1, 100
    a(i) = i
  end do
  s = 0
  do i = 1, 100
    s = s + a(i)
  end do
  if (s /= 5050) stop 1
end program
END
compile_gen a.cc -o a
run ./a
expect_json a.memprof.json <<'END'
check(p["run"]["accesses"] >= 200, "accesses")
END
compile_gen b.f90 -o b
run ./b
expect_json b.memprof.json <<'END'
check(p["run"]["stores"] >= 100, "stores")
check(p["run"]["loads"] >= 100, "loads")
END
