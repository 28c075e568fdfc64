# prefetch-faults.sh - each rule that keeps look-ahead loads from faulting, broken
# on purpose, is noticed by a kernel of aheads.c.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

kernels_of aheads.c
# Without the copies of unrolled and vectorised loops.
build () { build_eager -fprofile-mem-use-no=hot-functions "$@"; }
kernels="one_load two_loads some_only left_early stays_within written other_term from_device
  second_node left_nodes"
for level in -O1 -O2 -O3; do
  build $level
  same_output ./plain ./use train
  for kernel in $kernels; do
    same_output ./plain ./use only $kernel
  done
done
each_fault plugin/faults.def
