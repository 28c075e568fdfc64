#!/bin/sh
# sanitizers.sh - backend, profiles, decisions and runtime under ThreadSanitizer and
# under the address and undefined-behaviour sanitizers: they find nothing.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# For ThreadSanitizer, and for AddressSanitizer with UndefinedBehaviorSanitizer:
#
#   1. the unit tests of what is built with it; for ThreadSanitizer only those that
#      start threads, since the others cannot race and take hours with it;
#   2. a tree beside the build tree that differs in its memprof-backend and its
#      runtime: in it, programs of the exactness test, with and without threads,
#      and those end-to-end cases below that have threads, many modules or trouble.
#
# The runtime is inside of other programs, without libraries of its own, and
# wraps malloc and the thread functions as the sanitizers do; so it is built with
# checks that need none (undefined behaviour traps). The other cases run no more of
# the backend than these, with more compilations: SANITIZED_CASES=all takes them in.
# MEMPROF_SANITIZED=FOLDER keeps what is built there, and uses it again;
# SANITIZERS=address (or thread) runs one of the two.
. "$(dirname "$0")/real-program.inc"
cxx=${MEMPROF_CXX:-g++}; cxx=${cxx%% *}
builds=${MEMPROF_SANITIZED:-$work}
mkdir -p "$builds"
cases="gen/exceptions gen/local-births gen/memcpy-dependence modules/cache-misses
  modules/contexts modules/dead-stores modules/pointers modules/privatisation modules/sharing
  modules/values rt/alloc rt/atomic-order rt/backend-killed rt/control rt/exec rt/exit rt/file
  rt/fork rt/killed rt/openmp rt/short-life rt/signals rt/thread-churn rt/threads
  rt/threads-chunks rt/threads-many rt/trouble sample/mode"
if [ "${SANITIZED_CASES:-}" = all ]; then
  cases=$(sed -n '/^E2E_TESTS/,/[^\\]$/s/.*%D%\/\(.*\)\.sh.*/\1/p' "$MEMPROF_SRCDIR/testsuite/e2e/local.mk")
fi

build () # FOLDER FLAGS TARGET...
{
  folder=$builds/$1 flags=$2; shift 2
  mkdir -p "$folder"
  (cd "$folder" \
     && { [ -f Makefile ] || "$MEMPROF_SRCDIR/configure" -q CXX="$cxx" CXXFLAGS="-O1 -g $flags"; } \
     && ${MAKE:-make} -s "$@") >"$folder.log" 2>&1 \
    || { tail -n 20 "$folder.log"; fail "$folder does not build"; }
}

# The backend's environment is empty: a script in its place says where reports go.
tree () # KIND: a build tree with KIND's backend, and the runtime with traps
{
  tree=$work/tree.$1
  mkdir -p "$tree/runtime"
  for part in plugin testsuite; do ln -s "$MEMPROF_BUILDDIR/$part" "$tree/$part"; done
  ln -s "$MEMPROF_BUILDDIR/runtime/arena" "$tree/runtime/arena"
  ln -s "$runtime" "$tree/runtime/target"
  cp "$MEMPROF_BUILDDIR/memprof" "$tree/memprof"
  sed "s|$MEMPROF_BUILDDIR/\(memprof-backend\|runtime\)|$tree/\1|g" \
    "$MEMPROF_BUILDDIR/memprof.specs" >"$tree/memprof.specs"
  cat >"$tree/memprof-backend" <<END
#!/bin/sh
TSAN_OPTIONS='$TSAN_OPTIONS:log_path=$work/report.$1'
ASAN_OPTIONS='$ASAN_OPTIONS:log_path=$work/report.$1'
UBSAN_OPTIONS='$UBSAN_OPTIONS:log_path=$work/report.$1'
export TSAN_OPTIONS ASAN_OPTIONS UBSAN_OPTIONS
exec '$builds/$1/memprof-backend' "\$@"
END
  chmod +x "$tree/memprof-backend"
}

no_report () # KIND WHERE
{
  for report in "$work/report.$1".*; do
    [ -s "$report" ] || continue
    head -n 60 "$report"
    fail "$2: the backend with -fsanitize=$1 says that"
  done
}

unit_tests () # KIND FILTER LIBRARY...
{
  kind=$1 filter=$2; shift 2
  for test in "$@"; do
    status=0
    "$builds/$kind/${test}_test" --gtest_filter="$filter" >"$test.out" 2>&1 || status=$?
    [ "$status" = 0 ] \
      || { grep -n -e 'FAILED' -e '^WARNING: ThreadSanitizer' -e 'ERROR: ' -e 'runtime error' "$test.out" | head -n 10
           tail -n 20 "$test.out"; fail "${test}_test with -fsanitize=$kind: status $status"; }
    # A filter without tests would pass.
    grep -q '^\[  PASSED  \] [1-9]' "$test.out" || fail "no test of ${test}_test matches $filter"
    ok "-fsanitize=$kind: $(sed -n 's/^\[  PASSED  \] //p' "$test.out") (${test}_test)"
  done
}

exact () # KIND ARGUMENTS...
{
  kind=$1; shift
  MEMPROF_BUILDDIR=$tree "${MEMPROF_PYTHON:-python3}" -B \
    "$MEMPROF_SRCDIR/testsuite/exact/differential.py" --quiet "$@" >exact.out 2>&1 \
    || { tail -n 20 exact.out; no_report "$kind" "$*"; fail "exactness with -fsanitize=$kind"; }
  no_report "$kind" "$*"
  ok "-fsanitize=$kind: $(tail -n 1 exact.out)"
}

end_to_end () # KIND
{
  passed=0
  for case in $cases; do
    [ -f "$MEMPROF_SRCDIR/testsuite/e2e/$case.sh" ] || fail "there is no case $case"
    status=0
    MEMPROF_BUILDDIR=$tree sh "$MEMPROF_SRCDIR/testsuite/e2e/$case.sh" >case.out 2>&1 || status=$?
    no_report "$1" "$case"
    case $status in
      0) passed=$((passed + 1)) ;;
      77) echo "$case: skipped" ;;
      *) tail -n 20 case.out; fail "$case with -fsanitize=$1" ;;
    esac
  done
  ok "-fsanitize=$1: $passed end-to-end cases"
}

printf 'int main () {}\n' >probe.cc
runtime=$MEMPROF_BUILDDIR/runtime/target
if "$cxx" -fsanitize=undefined -fsanitize-undefined-trap-on-error probe.cc -o probe 2>/dev/null; then
  build traps "-fsanitize=undefined -fno-sanitize=vptr -fsanitize-undefined-trap-on-error" \
    runtime/target/libmemprof_rt.la runtime/target/libmemprof_rt_static.a
  runtime=$builds/traps/runtime/target
  [ "$(objdump -d "$runtime/.libs/libmemprof_rt.so" | grep -c ud2)" -gt 100 ] \
    || fail "the runtime has no traps"
else
  echo "no traps for undefined behaviour here"
fi
MEMPROF_RT_LIBS=$runtime
export MEMPROF_RT_LIBS MEMPROF_SRCDIR

# TBB is not built for ThreadSanitizer: what it synchronises would look like races.
printf 'called_from_lib:libtbb.so\nrace:tbb::\n' >tbb
TSAN_OPTIONS="suppressions=$work/tbb:halt_on_error=0:exitcode=66"
ASAN_OPTIONS=detect_leaks=1
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS ASAN_OPTIONS UBSAN_OPTIONS
for kind in ${SANITIZERS:-thread address}; do
  case $kind in
    thread) flags=-fsanitize=thread libraries=backend
            filter='SessionTest.*:SequencerTest.*:ShmTest.*:Reducers.*:*ReducingMap*' ;;
    address) flags=-fsanitize=address,undefined libraries="backend decide feedback" filter='*' ;;
  esac
  "$cxx" "$flags" probe.cc -o probe 2>/dev/null \
    || { echo "no $flags here"; continue; }
  kinds="${kinds-} $kind"
  # shellcheck disable=SC2086,SC2046
  build $kind "$flags" memprof-backend $(printf '%s_test ' $libraries)
  # shellcheck disable=SC2086
  unit_tests $kind "$filter" $libraries
  tree $kind
  exact $kind --count 6 --levels range,values,all,context
  exact $kind --count 4 --runs 2 --levels range,all
  end_to_end $kind
done
[ -n "${kinds-}" ] || { echo "SKIP: no sanitizers here" >&2; exit 77; }
