# specs/modes.sh - preprocessing, assembling, checking and linking only.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
int table[8];
int main (void) { for (int i = 0; i < 8; i++) table[i] = i; return table[7] - 7; }
END
gen="-specs=$specs -O1 -fprofile-mem-generate"

# Dependency files and preprocessed text are the plain compiler's.
for mode in -E -M -MM; do
  $CC -O1 $mode a.c >plain.txt
  $CC $gen $mode a.c >gen.txt
  cmp plain.txt gen.txt || fail "$mode differs"
  passed
done
$CC -O1 -MD -MF plain.d -c a.c -o a.o
$CC $gen -MD -MF gen.d -c a.c -o a.o
cmp gen.d plain.d || fail "-MD differs"
passed

$CC $gen -fsyntax-only a.c
$CC $gen -S a.c -o a.s
expect a.s '__mprt_room'
$CC $gen -c a.s -o from-s.o
$CC $gen -x c - -c -o stdin.o <a.c
$CC $gen -save-temps -c a.c -o kept.o
expect_file kept.o

# Each object links, also with the options given to the link only in part.
for o in a.o from-s.o stdin.o kept.o; do
  $CC $gen $o -o prog
  run ./prog
  expect_file prog.memprof.json
  rm prog.memprof.json
done
nm -D prog >symbols
expect symbols 'U __mprt_unit'
