# use/called-faults.sh - each rule about loads of a function that is called, broken on
# purpose, is noticed by a kernel of called.c.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

plugin=$(plugin_file)
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/called.c" a.c
compile -O0 a.c -o plain
compile_gen a.c -o a
run ./a train
build () # OPTION...
{
  compile -specs="$specs" -O2 -g -fchecking -fprofile-mem-use -fplugin="$plugin" \
    -fplugin-arg-memprof-eager "$@" a.c -o use
}
for level in -O1 -O2 -O3; do
  build $level
  for kernel in train some_calls leaves writes; do
    same_output ./plain ./use $kernel
  done
done
each_fault plugin/faults.def
