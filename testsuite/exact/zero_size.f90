! zero_size.f90 - arrays and strings of 0 bytes.
! SPDX-License-Identifier: GPL-3.0-or-later
program zero_size
  implicit none
  integer :: n
  n = 0
  print *, total(n) + total(4) + strings('')
contains
  function total(n) result(s)
    integer, intent(in) :: n
    real(8), allocatable :: a(:), b(:,:)
    real(8) :: local(n), s
    allocate (a(n), b(n, 3))
    a = 1; b = 2; local = 3
    a = a + local
    s = sum(a) + sum(b) + sum(a(2:1)) + size(a(n+1:))
    a = [real(8) ::]
    s = s + size(a)
    deallocate (a, b)
  end function
  function strings(text) result(n)
    character(len=*), intent(in) :: text
    character(len=:), allocatable :: copy
    integer :: n
    copy = text // ''
    n = len(copy // text)
  end function
end program
