#!/bin/sh
# use/salvage.sh - of a function that was edited, what can be found again is used; moved functions
# and renamed files are found; memprof check says how much of the profile that is.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
enum { N = 1 << 20, ROUNDS = 1 << 16 };
static __attribute__ ((noinline)) long
gather (long *a, unsigned *b)
{
  long sum = 0;
  for (int i = 0; i < ROUNDS; i++)
    if (a[b[i]]) sum += i;
  return sum;
}
static __attribute__ ((noinline)) void
fill (long *a, unsigned *b)
{
  unsigned x = 1;
  for (int i = 0; i < N; i++) a[i] = i & 1;
  for (int i = 0; i < ROUNDS; i++) b[i] = (x = x * 1664525 + 1013904223) >> 12;
}
int main (void)
{
  long *a = calloc (N, sizeof *a);
  unsigned *b = malloc (ROUNDS * sizeof *b);
  fill (a, b);
  return gather (a, b) == 0;
}
END
# GCC 13 would make vectors of the loop, which gain as much as the prefetch.
compile_gen -fno-tree-vectorize a.c -o a
run ./a
profile=a.memprof.json
# rebuilt SOURCE...: -> use, remarks, and said: the messages.
rebuilt ()
{
  rm -f remarks
  compile -specs="$specs" -O2 -g -fno-tree-vectorize -Werror -fchecking -fprofile-mem-use=$profile \
    -fprofile-mem-remarks=remarks "$@" -o use 2>said
  run ./use
}
prefetched () { expect remarks "\"kind\":\"prefetch\",\"taken\":true,.*\"expression\":\"a\\[b\\[i\\]\\]\""; }
checked () # SHARE HOW FUNCTION, as memprof check prints them
{
  "$memprof" check $profile remarks >out
  expect out "^$1 % of [0-9,]+ executions used;"
  "$memprof" check --json $profile remarks >check.json
  expect_equal "match of $3" "$("$PYTHON" -c 'import json, sys
print(*(f["how"] for f in json.load(open("check.json"))["functions"] if f["function"] == sys.argv[1]))' "$3")" "$2"
}
rebuilt a.c
prefetched
checked 100.0 matched gather
expect_equal "notes" "$(cat said)" ""

# A statement more, and another name of the file.
sed 's/    if (a\[b\[i\]\]) sum/    { static int seen; seen++; if (a[b[i]]) sum/; s/ += i;$/ += i; }/' a.c >renamed.c
rebuilt renamed.c
prefetched
checked 100.0 salvaged gather
expect_equal "functions that moved" "$(grep -c '"how":"matched"' remarks)" 1

sed 's/    if (a\[b\[i\]\]) sum/    { static int seen; seen++; if (a[b[i]]) sum/; s/ += i;$/ += i; }/' a.c >a.new
mv a.c a.old; mv a.new a.c
rebuilt a.c
prefetched
expect said 'note: memprof: 1 of 2 functions of .a\.c. have changed since .* was made: accesses of 1 are found again, 0 are compiled without a profile \(50 % matched\)'
expect_not said warning

# Nothing is left of it.
sed 's/if (a\[b\[i\]\]) sum += i;/{ static volatile int other; sum += other + i + (a != (long *) b); }/' a.old >a.c
rebuilt a.c
expect_not remarks '"kind":"prefetch","taken":true'
run -s 1 "$memprof" check --matched=95 $profile remarks
run "$memprof" check --matched=10 $profile remarks
expect out ' lost .* gather$'
expect out 'functions: 1 lost, 1 matched$'

# In a file of its own, while the rest stays.
sed 's/^static //' a.old >both.c
sed -n '1,10p' both.c >gather.c
{ sed -n '1,2p' both.c; echo 'long gather (long *, unsigned *);'; sed -n '11,$p' both.c; } >a.c
rebuilt a.c gather.c
prefetched
checked 100.0 matched gather

# The profile of another major version of GCC: one note, the plain code.
sed -i 's/\("compiler": *"[^"]* \)[0-9]*\./\111./' $profile
rebuilt a.c gather.c
expect said 'note: memprof: .*: made with GCC 11, and GCC [0-9]+ has other code'
expect_equal "notes of two compiles" "$(grep -c 'note: memprof' said)" 2
compile_plain -g0 -S a.c -o plain.s
compile -specs="$specs" -O2 -g0 -fprofile-mem-use=$profile -S a.c -o use.s 2>err
cmp plain.s use.s || fail "the code differs"
passed
