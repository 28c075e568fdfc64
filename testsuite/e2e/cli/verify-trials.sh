# verify-trials.sh - memprof verify --trials: one run measures the prefetches, those that do not pay are vetoed.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=L1=32K/8,L2=1M/8,LLC=8M/16 # decisions do not depend on this machine
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main (int argc, char **argv)
{
  long n = atol (argv[1]), m = 100000, rounds = atol (argv[2]), sum = 0;
  long *a = malloc (n * sizeof *a);
  unsigned *b = malloc (m * sizeof *b), x = 7;
  for (long i = 0; i < n; i++)
    a[i] = i;
  for (long i = 0; i < m; i++)
    b[i] = (x = x * 1664525 + 1013904223) % n;
  for (long r = 0; r < rounds; r++)
    for (long i = 0; i < m; i++)
      if (a[b[i]] & 1)
	sum += a[b[i]] * 3;
      else
	sum ^= i;
  printf ("%ld %ld\n", sum, (long) time (NULL));
  return argc == 0;
}
END
compile_gen a.c -o a
run ./a 400000 2
build="$CC -specs=$specs -O2 -g -fprofile-mem-use a.c -o a"
# Ten times the training input does not fit a cache.  Whether it pays is up to the machine that runs this
# test: verdict, status and veto file agree.
if "$memprof" verify --trials --build "$build" -- ./a 4000000 200 >out 2>err; then
  expect out 'a\.c:15 .* pays$'
  expect_no_file memprof.veto
else
  [ $? = 1 ] || fail "status: $(cat err)"
  expect out 'a\.c:15 .* does not pay$'
  expect memprof.veto '^@prefetch a\.c:15$'
  rm memprof.veto
fi
# 3 KB do: the veto file has the place, and a build that reads it has no prefetch.
loses ()
{
  run -s 1 "$memprof" verify --trials --build "$build" -- ./a 400 2000
  expect out 'a\.c:15 .* does not pay$'
  expect memprof.veto '^@prefetch a\.c:15$'
}
once_in_five loses
compile_use -fprofile-mem-veto=memprof.veto -fprofile-mem-remarks=remarks a.c -o a
expect remarks '"line":15,.*"reason":"vetoed"'
loses_in_json ()
{
  run -s 1 "$memprof" verify --trials --json --build "$build" -- ./a 400 2000
  "$PYTHON" -c 'import json, sys
(row,) = json.load(sys.stdin)["trials"]
assert row["places"] == ["a.c:15"] and row["level"] == 0 and row["measured"] < 1.03 < row["predicted"], row' <out \
    || fail "JSON: $(cat out)"
}
once_in_five loses_in_json
# Not entered, or not long enough.
run "$memprof" verify --trials --build "$build" -- ./a 400 0
expect out 'no nest'
run "$memprof" verify --trials --build "$build" -- ./a 400 1
expect out 'too short to tell$'
