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
  compile -specs="$specs" -O2 -g -fprofile-mem-use -fplugin="$plugin" \
    -fplugin-arg-memprof-eager "$@" a.c -o use
}
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
