# use/called.sh - the load is in a function, the index in its caller's loop: the prefetch
# goes before the call, and what the address takes is only loaded ahead if the calls of
# this loop load it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/called.c" a.c
compile_plain a.c -o plain
compile_gen -O2 a.c -o a
run ./a train
compile_use -O2 -fchecking a.c -o use -fopt-info-loop-all=remarks -fprofile-mem-remarks=lines
expect remarks 'a.c:[0-9]*:[0-9]*: optimized: .*indirect prefetch .* in the calling loop'
expect lines '"function":"some_calls".*"taken":true.*"call":1'
expect lines '"function":"some_ways".*"taken":true.*"call":1'
expect_not lines '"function":"leaves".*"kind":"prefetch","taken":true.*"expression":"pts'
expect lines '"function":"writes".*"taken":false.*the loop may be left between'
for caller in some_calls some_ways; do
  objdump -d --no-show-raw-insn use | sed -n "/<$caller>:/,/^$/p" >caller
  expect caller 'prefetcht0|prfu?m'
done
same_output ./plain ./use train
for kernel in some_calls some_ways leaves writes; do same_output ./plain ./use $kernel; done
"$memprof" advise a.memprof.json >advice
expect advice 'needs the code: .*in no loop'
