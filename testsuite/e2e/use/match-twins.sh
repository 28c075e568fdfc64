#!/bin/sh
# match-twins.sh - functions that differ only in what GCC numbers have rows of their own, after
# two runs and in the rebuild, and keep them when the numbers of the file move.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
static __attribute__ ((noinline)) long
sum (long *p, int n, int k) { long s = 0; for (int i = 0; i < n; i++) s += p[i] * k; return s; }
void *volatile first, *volatile second;
typedef long get (long *, long);
int
main (void)
{
  static long a[1000];
  long n = 1000, s = 0;
  { long in (long *p, long m) { long t = 0; for (long i = 0; i < m; i++) t += p[i] + n; return t; }
    first = in; s += ((get *) first) (a, 40); }
  { long in (long *p, long m) { long t = 0; for (long i = 0; i < m; i++) t += p[i] + n; return t; }
    second = in; s += ((get *) second) (a, 50); }
#pragma omp parallel for reduction (+ : s)
  for (long i = 0; i < n - 990; i++) s += a[i];
#pragma omp parallel for reduction (+ : s)
  for (long i = 0; i < n - 980; i++) s += a[i];
  for (int i = 0; i < 3; i++) s += sum (a, 100, 3) + sum (a, 200, 5);
  return s == 0;
}
END
# counted RUNS: each of the twins has what it executed, not what another one did.
counted ()
{
  validate a.memprof.json
  expect_json a.memprof.json <<END
executed = {f["linkage_name"]: max([s["executions"] for s in f["sites"]] + [0])
            for _, f in all_functions()}
def of(family): return sorted(n // $1 for f, n in executed.items() if f.startswith(family))
equal(of("main.in"), [40, 50])
equal(of("main._omp_fn."), [10, 20])
equal(of("sum.constprop."), [100, 200])
END
}
# matched: the rebuild of a.c finds all twins.
matched ()
{
  mkdir dumps
  compile_use -O3 -w -fopenmp -fno-ipa-icf -fdump-tree-all -dumpdir dumps/ -S a.c -o a.s
  cat dumps/*memprof_use* >found
  rm -r dumps
  for name in main.in main.in#2 main._omp_fn.0 main._omp_fn.1 sum.constprop.0 sum.constprop.1
  do expect found "^memprof: $name, .*: matched"; done
}
export OMP_NUM_THREADS=1
for how in '-flto -flto-partition=max' ''; do
  rm -f a.memprof.json
  # shellcheck disable=SC2086
  compile_gen -O3 -w -fopenmp -fno-ipa-icf -fchecking $how a.c -o a
  run ./a
  counted 1
  run ./a
  counted 2
done
matched
{ echo 'static int other (void) { static int a; int inner (void) { return a++; } return inner (); }
        void *user = other;'; cat a.c; } >b.c
mv b.c a.c
matched
