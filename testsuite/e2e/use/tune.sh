# use/tune.sh - prefetches on trial: on where they pay, off where they do not, whatever was decided;
# the output is the same.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=L1=32K/8,L2=1M/8,LLC=8M/16 # decisions do not depend on this machine

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__ ((noipa)) static unsigned long
gather (const long *a, const unsigned *b, long m)
{
  unsigned long sum = 0;
  for (long i = 0; i < m; i++)
    if (a[b[i]] & 1)
      sum += a[b[i]] * 3;
    else
      sum ^= i;
  return sum;
}
__attribute__ ((noipa)) static unsigned long
chain (const long *a, const unsigned *b, long m)
{
  unsigned long sum = 0;
  for (long i = 0; i < m; i++)
    sum = sum / 3 + a[b[i]];
  return sum;
}
int main (int argc, char **argv)
{
  long n = atol (argv[1]), m = atol (argv[2]), rounds = atol (argv[3]);
  long *a = malloc (n * sizeof *a);
  unsigned *b = malloc (m * sizeof *b);
  unsigned long x = 7, sum = 0;
  for (long i = 0; i < n; i++)
    a[i] = i;
  for (long i = 0; i < m; i++)
    b[i] = ((x = x * 6364136223846793005 + 1) >> 33) % n;
  for (long i = 0; i < rounds; i++)
    sum += gather (a, b, m) + chain (a, b, m);
  printf ("%lu\n", sum);
  return 0;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a 400000 100000 2
compile_use -fchecking a.c -o static
compile_use -fchecking -fprofile-mem-tune a.c -o use -fprofile-mem-remarks=remarks
expect remarks '"line":8,.*"taken":true,.*iterations ahead: .*; on trial"'
for input in '4000000 4000000 8' '400 400000 100' '400 100 400000' '400 20 100000' '0 0 1'; do
  # shellcheck disable=SC2086 # several words
  same_output ./plain ./use $input
done
export MPRT_TUNE=report
# Large inputs: on.  All in the cache, and a loop that waits for something else: off, if entries are short, too.
decided () # REGEX INPUT...
{
  line=$1
  shift
  run ./use "$@"
  expect err "$line"
}
once_in_five decided '^memprof: .*a.c:8: level [123] after [0-9]* trials, measured [1-9]\.[0-9]*, predicted [1-9]' 4000000 4000000 8
once_in_five decided 'a.c:19: level 0 after [0-9]* trials' 400 100000 400
once_in_five decided 'a.c:19: level 0 after [0-9]* trials' 400 200 200000
MPRT_TUNE=off run ./use 400 400000 10
expect_equal "no trial, no report" "$(cat err)" ''
# Not long enough for a decision; without the library; in a shared library, which uses the program's.
run ./use 4000000 1000 1
expect err 'a.c:8: [0-9]* slices, no whole trial'
unset MPRT_TUNE
compile_use -fprofile-mem-tune -c a.c -o a.o
${MEMPROF_CC:-gcc} a.o -o unaided
same_output ./plain ./unaided 400000 4000000 2
same_output ./plain ./unaided 400 20 100000
compile_use -fprofile-mem-tune -fPIC -shared -Dmain=library_main a.c -o liba.so
nm -D liba.so | grep -q ' w __mprt_tune_enter$' || fail "the library does not ask its program"
echo 'int library_main (int, char **); int main (int n, char **v) { return library_main (n, v); }' >b.c
compile_use b.c liba.so -Wl,-rpath,. -o by_library
same_output ./plain ./by_library 400000 4000000 2
