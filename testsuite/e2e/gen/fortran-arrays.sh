#!/bin/sh
# fortran-arrays.sh - gfortran: static and allocatable arrays, array syntax.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.f90 <<'END'
program a
  implicit none
  integer :: fixed(10), i
  integer, allocatable :: grown(:)
  allocate (grown(20))
  do i = 1, 20
    grown(i) = i
  end do
  do i = 2, 10
    fixed(i) = grown(2 * i)
  end do
  print *, sum (grown), fixed(7)
end program a
END
compile_plain -O1 a.f90 -o plain
compile_gen -O1 a.f90 -o a
same_output ./plain ./a
rm -f a.memprof.json
run ./a
expect out '210 +14'
validate a.memprof.json
expect_json a.memprof.json <<'END'
filled = site(line=7, kind="store")
equal(filled["executions"], 20)
equal((stride(filled)["dominant"], stride(filled)["class"]), (4, "ssst"))
equal(stride(site(line=10, kind="load", width=4))["dominant"], 8)
equal(dep(filled, site(line=10, kind="load", width=4))["count"], 9)
equal(group(line=5, kind="heap")["bytes"], 80)
END
