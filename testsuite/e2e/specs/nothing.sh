# specs/nothing.sh - the options on command lines that compile nothing.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

gen="-specs=$specs -fprofile-mem-generate"
# What configure scripts and build systems ask.
for o in --version -dumpversion -dumpmachine -print-search-dirs -print-file-name=libc.so; do
  $CC $o >plain.txt 2>&1
  $CC $gen $o >gen.txt 2>&1
  cmp plain.txt gen.txt || fail "$o differs"
  passed
done
# A partial link and a link without libraries get no runtime.
echo 'int f (int *p) { return *p; }' >a.c
$CC $gen -c a.c
$CC $gen -r a.o -o part.o
nm part.o >symbols
expect_not symbols ' [TtDd] __mprt_slow'
echo 'void _start (void) { for (;;); }' >s.c
$CC $gen -c -fno-profile-mem 2>err s.c && fail "accepted an unknown flag"
$CC -c s.c
$CC $gen -nostdlib s.o -o bare
readelf -d bare >dynamic 2>&1 || true
expect_not dynamic 'libmemprof_rt'
# An assembler file in C's clothes.
printf '#define F g\n.globl F\nF: ret\n' >asm.S
$CC $gen -c asm.S -o asm.o
expect_file asm.o
