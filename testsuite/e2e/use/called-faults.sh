# use/called-faults.sh - each rule about loads of a function that is called, broken on
# purpose, is noticed by a kernel of called.c.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

kernels_of called.c
build () { build_eager "$@"; }
for level in -O1 -O2 -O3; do
  build $level
  for kernel in train some_calls some_ways leaves writes; do
    same_output ./plain ./use $kernel
  done
done
each_fault plugin/faults.def
