# fortran-calls.sh - gfortran: loops with calls, whose records name the function's frame.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.f90 <<'END'
recursive subroutine add (a, n, depth)
  integer, intent (in) :: n, depth
  integer, intent (inout) :: a(n)
  integer :: i
  do i = 2, n
    a(i) = a(i - 1) + mod (a(i), 7)
    if (depth > 0 .and. mod (i, 50) == 0) call add (a, n, depth - 1)
  end do
end subroutine
program main
  integer :: a(100), i
  character (len = 20) :: text
  a = (/ (i, i = 1, 100) /)
  do i = 1, 10
    call add (a, 100, 1)
    write (text, '(i10)') a(i)
    print *, trim (text), a(101 - i)
  end do
end program
END
compile_plain a.f90 -o plain
for flags in -O0 -O1 "-O2 -fcheck=all" "-O2 -fopenmp" -O3 "-O2 -fprofile-mem-mode=sample"; do
  rm -f a.memprof.json
  compile_gen $flags a.f90 -o a
  same_output ./plain ./a
  expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
done
rm a.memprof.json
compile_gen -fno-inline a.f90 -o a
same_output ./plain ./a
expect_json a.memprof.json <<'END'
equal(site(function="add", line=6, kind="store")["executions"], 10 * 3 * 99)
END
compile_use -fno-inline a.f90 -o use
same_output ./plain ./use
