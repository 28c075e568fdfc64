# versioning-faults.sh - each rule that makes versioned loops right, broken on
# purpose, is noticed by a kernel of overlaps.c.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

kernels_of overlaps.c
# With -floop-unroll-and-jam and a check of an inner loop that GCC sees to succeed, no
# copy is left that keeps it from exchanging the loops around it, as if they were disjoint, too.
# With -ftree-sink, GCC 15 moves copied loads past the check, where one that faults is not executed.
build () # OPTION...
{
  compile -specs="$specs" -O2 -g -floop-unroll-and-jam --param=unroll-jam-min-percent=0 -fno-tree-sink \
    -fprofile-mem-use -fplugin="$plugin" -fplugin-arg-memprof-eager "$@" a.c -o use
}
build
same_output ./plain ./use all
each_fault plugin/faults.def
