# use/two-loads.sh - a[b[c[i]]]: the look-ahead loads b[c[i + k]] where the loop will
# certainly load it, too, and else from among the places in b that it has loaded from; with
# memory that ends after c and garbage before that, any other load would fault.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { N = 1 << 20, M = 1 << 17, PAGE = 4096 };
struct node { long key, pad; };
static long stopped;
__attribute__ ((noinline)) static double
sum_all (struct node *a, unsigned *b, unsigned *c, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    if (a[b[c[i]]].key & 1) sum += i;
  return sum;
}
__attribute__ ((noinline)) static double
early_exit (struct node *a, unsigned *b, unsigned *c, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    {
      if (a[b[c[i]]].key & 1) sum += i;
      if (i == stopped) break;
    }
  return sum;
}
__attribute__ ((noinline)) static double
written (struct node *a, unsigned *b, unsigned *c, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    {
      if (a[b[c[i]]].key & 1) sum += i;
      c[i + 1] = i * 40503u % N;
    }
  return sum;
}
__attribute__ ((noinline)) static double
shifted (struct node *a, unsigned *b, unsigned *c, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    if (a[b[c[i] + i]].key & 1) sum += i;
  return sum;
}
int main (void)
{
  struct node *a = calloc (N, sizeof *a);
  unsigned *b = malloc (N * sizeof *b), x = 1;
  size_t size = (M + 4) * sizeof *b + PAGE - 1 & -PAGE;
  char *end = (char *) mmap (NULL, size + PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + size;
  mprotect (end, PAGE, PROT_NONE);
  // Two words of garbage before the memory ends.
  unsigned *c = (unsigned *) end - M - 2;
  for (int i = 0; i < N; i++) a[i].key = i;
  for (int i = 0; i < N; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 12;
  for (int i = 0; i < M; i++)
    c[i] = i * 40503u % (N - M);
  c[M] = c[M + 1] = 0xfffffff0;
  stopped = M - 1;
  double result = sum_all (a, b, c, M) + sum_all (a, b, c, 1);
  result += early_exit (a, b, c, M + 1);
  result += shifted (a, b, c, M);
  for (int i = 1; i < M; i++) c[i] = 0xfffffff0;
  result += written (a, b, c, M);
  printf ("%.0f\n", result);
  return 0;
}
END
compile_plain a.c -o plain
for level in -O1 -O2 -O3; do
  COMPILER="$CC" compile_gen $level a.c -o a
  run ./a
  compile_use $level -fchecking a.c -o use -fopt-info-loop-all=remarks
  expect remarks 'a.c:12:[0-9]*: optimized: .*indirect prefetch'
  expect remarks 'a.c:12:[0-9]*: optimized: .*key: indirect prefetch'
  same_output ./plain ./use
  rm -f a.memprof.json
done
for line in 21 32 42; do
  expect remarks "a.c:$line:.* optimized: .*key: indirect prefetch"
done
