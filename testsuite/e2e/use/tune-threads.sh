# use/tune-threads.sh - threads share the trial of a nest: one decision, the same output.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=L1=32K/8,L2=1M/8,LLC=8M/16 # decisions do not depend on this machine
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
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
  for (long r = 0; r < rounds; r++)
#pragma omp parallel for reduction (+ : sum) num_threads (4)
    for (long i = 0; i < m; i++)
      if (a[b[i]] & 1)
	sum += a[b[i]] * 3;
      else
	sum += i;
  printf ("%lu\n", sum);
  return 0;
}
END
compile_plain -fopenmp a.c -o plain
compile_gen -fopenmp a.c -o a
run ./a 400000 100000 2
compile_use -fchecking -fopenmp -fprofile-mem-tune a.c -o use
for input in '3000000 2000000 10' '400 100000 100' '400 64 20000'; do
  # shellcheck disable=SC2086 # several words
  same_output ./plain ./use $input
done
switches_on ()
{
  MPRT_TUNE=report run ./use 3000000 2000000 10
  expect err '^memprof: .*a.c:[0-9]*: level [123] after [0-9]* trials, measured [1-9]'
  expect_equal "nests" "$(wc -l <err)" 1
}
once_in_five switches_on
