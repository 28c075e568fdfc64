#!/bin/sh
# use/build-systems.sh - -MD lists the profile, so that make compiles again when it changes; with
# one profile each compilation gives the same bytes; ccache does not hand out old objects.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
need make
cat >a.c <<'END'
#include <stdlib.h>
enum { N = 1 << 20, ROUNDS = 1 << 16 };
int main (void)
{
  long *a = (long *) calloc (N, sizeof *a), sum = 0;
  unsigned *b = (unsigned *) malloc (ROUNDS * sizeof *b), x = 1;
  for (int i = 0; i < N; i++) a[i] = i & 1;
  for (int i = 0; i < ROUNDS; i++) b[i] = (x = x * 1664525 + 1013904223) >> 12;
  for (int i = 0; i < ROUNDS; i++) if (a[b[i]]) sum += i;
  return sum == 0;
}
END
cp a.c a.cc
compile_gen a.c -o a
run ./a
mkdir prof
mv a.memprof.json prof
for source in a.c a.cc; do
  for how in prof prof/a.memprof.json; do
    compile -specs="$specs" -O2 -fprofile-mem-use=$how -MMD -MF deps -c "$source" -o a.o
    expect deps " prof/a.memprof.json"
  done
  compile -specs="$specs" -O2 -fprofile-mem-use=none -MMD -MF deps -c "$source" -o a.o
  expect_not deps none
  compile -specs="$specs" -O2 -fprofile-mem-generate -MMD -MF deps -c "$source" -o a.o
  expect_not deps json
done
cat >Makefile <<END
CC = $CC
CFLAGS = -specs=$specs -O2 -fprofile-mem-use=prof -MMD -MP
a.o: a.c
-include a.d
END
made () { env -u MAKEFLAGS -u MAKELEVEL make a.o >log; grep -c -e '-c' log || true; }
rm -f a.o
expect_equal "compilations at first" "$(made)" 1
cp a.o first.o
expect_equal "compilations with nothing new" "$(made)" 0
touch -d '+1 minute' prof/a.memprof.json
expect_equal "compilations with a new profile" "$(made)" 1
cmp a.o first.o || fail "the same profile gives other bytes"
passed
nm a.o >/dev/null
rm prof/a.memprof.json
expect_equal "compilations without the profile" "$(made)" 1
cmp a.o first.o >/dev/null && fail "the profile changed nothing"
passed
