# use/search.sh - binary searches in an array that the cache does not hold prefetch both places
# that may be next, however they choose one; a walk that does not get closer gets none.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
enum { N = 1 << 21, ROUNDS = 1 << 15 };
struct record { long key, more[3]; };
#define SEARCH __attribute__ ((noipa)) static long
SEARCH bounds (const double *a, long n, double key)
{
  long lo = 0, hi = n - 1;
  for (long length = hi; length > 1; length = hi - lo)
    {
      long mid = lo + length / 2;
      if (a[mid] > key) hi = mid; else lo = mid;
    }
  return lo;
}
SEARCH base_and_length (const double *a, long n, double key)
{
  const double *base = a;
  while (n > 0)
    {
      long half = n >> 1;
      if (base[half] < key) base += half + 1, n -= half + 1;
      else n = half;
    }
  return base - a;
}
SEARCH move (const double *a, long n, double key)
{
  const double *base = a;
  for (; n > 1; n -= n / 2)
    base = base[n / 2 - 1] < key ? base + n / 2 : base;
  return base - a;
}
SEARCH arithmetic (const double *a, long n, double key)
{
  long at = 0;
  for (; n > 1; n -= n / 2)
    at += (a[at + n / 2 - 1] < key) * (n / 2);
  return at;
}
SEARCH equal (const struct record *a, int n, long key)
{
  int lo = 0, hi = n - 1;
  while (lo <= hi)
    {
      int mid = (lo + hi) / 2;
      if (a[mid].key == key) return mid;
      if (a[mid].key < key) lo = mid + 1; else hi = mid - 1;
    }
  return -1;
}
SEARCH neighbours (const double *a, long n, double key)
{
  long i = 0;
  while (i < n)
    i = a[i] < key ? 2 * i + 2 : 2 * i + 1;
  return i;
}
// A key that the search before has not brought into the cache.
static long any (void)
{
  static unsigned x = 1;
  return (x = x * 1664525 + 1013904223) >> 9;
}
int main (void)
{
  double *a = malloc (N * sizeof *a);
  struct record *r = malloc (N / 2 * sizeof *r);
  for (long i = 0; i < N; i++) a[i] = i * 3 + (i & 3);
  for (long i = 0; i < N / 2; i++) r[i].key = i * 3;
  long sum = 0;
  for (int i = 0; i < ROUNDS; i++)
    {
      sum = sum * 31 + bounds (a, N, any ());
      sum = sum * 31 + base_and_length (a, N, any ());
      sum = sum * 31 + move (a, N, any ());
      sum = sum * 31 + arithmetic (a, N, any ());
      sum = sum * 31 + equal (r, N / 2, any () / 2);
      sum = sum * 31 + neighbours (a, N, any ());
    }
  printf ("%ld\n", sum);
  return 0;
}
END
compile_plain a.c -o plain
for level in -O2 -O3; do
  compile_gen $level a.c -o a
  rm -f a.memprof.json
  run ./a
  compile_use $level -fprofile-mem-use-no=hot-functions -fchecking a.c -o use -fopt-info-all=remarks
  for line in 12 22 31 38 47; do
    expect remarks "a.c:$line:.* optimized: .*search prefetch of both next places: "
  done
  expect_not remarks 'a.c:56:.* optimized: .*prefetch'
  for function in bounds base_and_length move arithmetic equal; do
    [ "$(objdump -d --disassemble=$function use | grep -cE "prefetch|prfu?m")" = 2 ] || fail "$function: not two prefetches"
  done
  same_output ./plain ./use
done
