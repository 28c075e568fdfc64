# versioning-faults.sh - each rule that makes versioned loops right, broken on
# purpose, is noticed by a kernel of overlaps.c.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

cp "$MEMPROF_SRCDIR/testsuite/e2e/src/overlaps.c" a.c
compile -O0 a.c -o plain
compile_gen a.c -o a
run ./a train
build () # FAULT-OPTION...
{
  # shellcheck disable=SC2086
  compile -specs="$specs" -O2 -g -fprofile-mem-use -fplugin="$plugin" \
    -fplugin-arg-memprof-eager $more "$@" a.c -o use
}
more=
build
same_output ./plain ./use all
noticed always-fast add_word
noticed short-range bytes_down
noticed unchecked-loads tint
noticed one-sided add_word
noticed first-iteration pointers
noticed uncertain-loads pointers
noticed count-conditions jumped_over
noticed length-overflow full_circle
noticed turned-loads next_key
noticed no-bounds count_up
noticed upwards add_down
noticed store-types retyped
noticed volatile device
for kernel in called atomic in_asm; do
  noticed calls $kernel
done
# In an inner loop, a check that GCC sees to succeed: then no copy is left that keeps
# it from turning the loops around it over, as if they were disjoint, too.
more="-floop-unroll-and-jam --param=unroll-jam-min-percent=0"
build
same_output ./plain ./use all
noticed seen-checks turned_rows
