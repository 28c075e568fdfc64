#!/bin/sh
# sanitizers.sh - backend, profiles and decisions under ThreadSanitizer and under
# the address and undefined-behaviour sanitizers: the unit tests find nothing.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The runtime is inside of other programs, without libraries of its own, and
# wraps malloc and the thread functions as the sanitizers do; so it is built with
# checks that need none (undefined behaviour traps), and its own cases run with it.
. "$(dirname "$0")/real-program.inc"
cxx=${MEMPROF_CXX:-g++}; cxx=${cxx%% *}

build () # FOLDER FLAGS TARGET...
{
  folder=$1 flags=$2; shift 2
  mkdir "$folder"
  (cd "$folder" && "$MEMPROF_SRCDIR/configure" -q CXX="$cxx" CXXFLAGS="-O1 -g $flags" \
     && ${MAKE:-make} -s "$@") >"$folder.log" 2>&1 \
    || { tail -n 20 "$folder.log"; fail "$folder does not build"; }
}

printf 'int main () {}\n' >probe.cc
# TBB is not built for ThreadSanitizer: what it synchronises would look like races.
printf 'called_from_lib:libtbb.so\nrace:tbb::\n' >tbb
TSAN_OPTIONS="suppressions=$work/tbb:halt_on_error=0:exitcode=66"
ASAN_OPTIONS=detect_leaks=1
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS ASAN_OPTIONS UBSAN_OPTIONS
for kind in thread address,undefined; do
  "$cxx" -fsanitize=$kind probe.cc -o probe 2>/dev/null \
    || { echo "no -fsanitize=$kind here"; continue; }
  build $kind "-fsanitize=$kind" backend_test decide_test feedback_test
  for test in backend decide feedback; do
    status=0
    $kind/${test}_test >"$test.out" 2>&1 || status=$?
    [ "$status" = 0 ] \
      || { grep -n -e 'FAILED' -e '^WARNING: ThreadSanitizer' -e 'ERROR: ' -e 'runtime error' "$test.out" | head -n 10
           tail -n 20 "$test.out"; fail "${test}_test with -fsanitize=$kind: status $status"; }
    ok "-fsanitize=$kind: $(sed -n 's/^\[  PASSED  \] //p' "$test.out") (${test}_test)"
  done
done

"$cxx" -fsanitize=undefined -fsanitize-undefined-trap-on-error probe.cc -o probe 2>/dev/null \
  || { echo "no traps for undefined behaviour here"; exit 0; }
build traps "-fsanitize=undefined -fno-sanitize=vptr -fsanitize-undefined-trap-on-error" \
  runtime/target/libmemprof_rt.la
[ "$(objdump -d traps/runtime/target/.libs/libmemprof_rt.so | grep -c ud2)" -gt 100 ] \
  || fail "the runtime has no traps"
MEMPROF_RT_LIBS=$work/traps/runtime/target
export MEMPROF_RT_LIBS MEMPROF_SRCDIR MEMPROF_BUILDDIR
for case in alloc exec exit file fork openmp signals threads threads-chunks threads-many trouble; do
  status=0
  sh "$MEMPROF_SRCDIR/testsuite/e2e/rt-$case.sh" >case.out 2>&1 || status=$?
  case $status in
    0) ok "$(tail -n 1 case.out), with traps" ;;
    77) echo "rt-$case: skipped" ;;
    *) tail -n 20 case.out; fail "rt-$case with traps" ;;
  esac
done
