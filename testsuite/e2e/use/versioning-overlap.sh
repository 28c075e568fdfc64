# versioning-overlap.sh - loops with every possible versioning give the same as
# without optimisation, wherever their operands overlap.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

plugin=$(plugin_file)
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/overlaps.c" a.c
compile -O0 a.c -o plain
for level in -O1 -O2 "-O3 -funroll-loops $wide"; do
  rm -f a.memprof.json remarks.json
  # shellcheck disable=SC2086
  compile -specs="$specs" $level -g -fprofile-mem-generate \
    -fprofile-mem-mode=full a.c -o a
  run ./a train
  # All that is possible, worth it or not.
  # shellcheck disable=SC2086
  compile -specs="$specs" $level -g -fprofile-mem-use -fchecking \
    -fplugin="$plugin" -fplugin-arg-memprof-eager \
    -fprofile-mem-remarks=remarks.json a.c -o use
  # Most of the 34 kernels have a loop that can be versioned.
  versioned=$(grep '"kind":"versioning","taken":true' remarks.json \
    | grep -o '"function":"[a-z_]*"' | sort -u | wc -l)
  [ "$versioned" -ge 20 ] || fail "only $versioned loops versioned at $level"
  expect remarks.json '"function":"product".*, two outer iterations at once'
  case $level in
    *avx2*) grep -q avx2 /proc/cpuinfo || continue ;;
  esac
  same_output ./plain ./use all
done
