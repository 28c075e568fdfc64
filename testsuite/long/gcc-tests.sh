#!/bin/sh
# gcc-tests.sh - programs of GCC's own test suite behave as without the profiler: C, C++ and its
# library, Fortran, OpenMP and vectors of x86, some 15000 of them; and 20000 that need not be
# executed compile. They ask for what no program of a user's does twice, such as stacks at odd
# places, signals for inexact results, functions in GIMPLE, transactions.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# From Debian's package gcc-12-source, 80 MB. Takes ten hours, six of them the library's;
# GCC_TESTS="c gimple c++ fortran openmp openmp-all c-all c++-all fortran-all x86 library
# compile-events compile-events-o0
# compile-c compile-c++ compile-fortran" chooses.
. "$(dirname "$0")/real-program.inc"
package=gcc-12-source
tests=$MEMPROF_SOURCES/$package
if [ ! -d "$tests/libstdc++-v3" ]; then
  apt-get -qq download $package >/dev/null 2>&1 && dpkg-deb -x $package*.deb package \
    || { echo "SKIP: no package $package" >&2; exit 77; }
  mkdir unpacked
  tar -xf package/usr/src/gcc-12/gcc-*.tar.xz -C unpacked --strip-components=1 --wildcards \
    '*/gcc/testsuite/gcc.c-torture' '*/gcc/testsuite/gcc.dg' '*/gcc/testsuite/g++.dg' \
    '*/gcc/testsuite/gcc.target/i386' \
    '*/gcc/testsuite/gfortran.dg' '*/gcc/testsuite/gfortran.fortran-torture/execute' \
    '*/libgomp/testsuite/libgomp.c*' '*/libgomp/testsuite/libgomp.fortran' \
    '*/libstdc++-v3/testsuite'
  mkdir -p "$MEMPROF_SOURCES"
  rm -rf "$tests"
  mv unpacked "$tests"
fi
export MEMPROF_BUILDDIR
sets="c gimple c++ fortran openmp openmp-all c-all c++-all fortran-all x86 library compile-c compile-c++
  compile-fortran"
for name in ${GCC_TESTS:-}; do
  case " $(echo $sets) " in *" $name "*) ;; *) fail "GCC_TESTS: there is no set $name, but $sets" ;; esac
done

chosen () # NAME
{
  case " ${GCC_TESTS:-$1} " in *" $1 "*) ;; *) return 1 ;; esac
}

check () # NAME FLAGS [--status | --compile] FILE...
{
  name=$1 flags=$2; shift 2
  chosen "$name" || return 0
  MEMPROF_TEST_FLAGS="-w $flags" "${MEMPROF_PYTHON:-python3}" \
    "$MEMPROF_SRCDIR/testsuite/long/gcc_tests.py" "$@" || fail "$name"
  ok "$name"
}
suite=$tests/gcc/testsuite
check c -O2 "$suite"/gcc.c-torture/execute/*.c "$suite"/gcc.c-torture/execute/ieee/*.c
check gimple -O2 $(grep -l 'dg-do run' "$suite"/gcc.dg/torture/*.c)
check c++ -O2 $(grep -l 'dg-do run' "$suite"/g++.dg/torture/*.C "$suite"/g++.dg/eh/*.C \
  "$suite"/g++.dg/init/*.C "$suite"/g++.dg/coroutines/torture/*.C)
check fortran -O2 "$suite"/gfortran.fortran-torture/execute/*.f90
check openmp "-O2 -fopenmp" --status "$tests"/libgomp/testsuite/libgomp.c/*.c
check openmp-all "-O2 -fopenmp" --status "$tests"/libgomp/testsuite/libgomp.c-c++-common/*.c \
  "$tests"/libgomp/testsuite/libgomp.c++/*.C "$tests"/libgomp/testsuite/libgomp.fortran/*.f90
# guality looks at values in a debugger.
check c-all "-O3 -march=native" $(grep -rlE 'dg-do +run' "$suite"/gcc.dg --include='*.c' \
  --exclude-dir=guality --exclude-dir=vect) "$suite"/gcc.dg/vect/*.c
check c++-all -O2 $(grep -rlE 'dg-do +run' "$suite"/g++.dg --include='*.C' --exclude-dir=guality)
check fortran-all -O2 $(grep -rlE 'dg-do +run' "$suite"/gfortran.dg --include='*.[fF]90' \
  --include='*.f' --include='*.f0[38]')
check x86 -O2 $(grep -lE 'dg-do +run' "$suite"/gcc.target/i386/*.c)
# What the library's tests share; tests of its speed, and of debuggers, are no tests of programs.
library=$tests/libstdc++-v3/testsuite shared=
cxx=${MEMPROF_CXX:-g++}; cxx=${cxx%% *}
if chosen library; then
  for part in hooks allocator character; do
    "$cxx" -O2 -std=gnu++17 -I"$library/util" -c "$library/util/testsuite_$part.cc"
    shared="$shared $PWD/testsuite_$part.o"
  done
fi
check library "-O2 -std=gnu++20 -pthread -I$library/util$shared" $(grep -rlE 'dg-do +run' \
  "$library" --include='*.cc' --exclude-dir=performance --exclude-dir=libstdc++-xmethods \
  --exclude-dir=libstdc++-prettyprinters --exclude-dir=util)
# Every kind of event, at every kind of statement that ends a block.
MEMPROF_PROFILE_FLAGS="-fprofile-mem-modules=all -fchecking"; export MEMPROF_PROFILE_FLAGS
check compile-events -O2 --compile "$suite"/gcc.c-torture/compile/*.c "$suite"/gcc.dg/torture/*.c \
  $(grep -rlE '__builtin_(return|eh_return|unreachable|longjmp|setjmp)|asm goto|__transaction|&&' \
    "$suite"/gcc.dg "$suite"/g++.dg --include='*.c' --include='*.C')
check compile-events-o0 -O0 --compile "$suite"/gcc.c-torture/compile/*.c
unset MEMPROF_PROFILE_FLAGS
check compile-c -O2 --compile "$suite"/gcc.c-torture/compile/*.c "$suite"/gcc.dg/*.c
check compile-c++ "-O2 -std=gnu++20" --compile $(find "$suite"/g++.dg -name '*.C')
check compile-fortran -O2 --compile $(find "$suite"/gfortran.dg -name '*.[fF]90' -o -name '*.f0[38]')
