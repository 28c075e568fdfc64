# use/strided.sh - a loop that steps over lines which it does not load prefetches them; one
# that loads most of them does not; where fields were moved it is part of `field-order'.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct record { int age; char name[84]; int income; char note[80]; int heads, more[19], last; };
enum { N = 40000 };
#define QUESTION __attribute__ ((noinline)) static long
QUESTION column (const double (*m)[32], long j)
{
  double sum = 0;
  for (long i = N - 1; i >= 0; i--) sum += m[i][j];
  return sum;
}
QUESTION lines (const double (*m)[32])
{
  double sum = 0;
  for (long i = 0; i < N; i++) sum += m[i][0] * m[i][9] - m[i][17] * m[i][31];
  return sum;
}
QUESTION ask (const struct record *r, int age)
{
  long sum = 0;
  for (long i = 0; i < N; i++) if (r[i].age > age) sum += r[i].income / r[i].heads;
  return sum;
}
int main (void)
{
  double (*m)[32] = malloc (N * sizeof *m);
  struct record *r = calloc (N, sizeof *r);
  for (long i = 0; i < N; i++)
    {
      for (int j = 0; j < 32; j++) m[i][j] = i + j;
      r[i].age = i % 90, r[i].income = i % 1000, r[i].heads = 1 + i % 4;
    }
  long sum = 0;
  for (int i = 0; i < 8; i++) sum += column (m, i) + lines (m) + ask (r, i * 10);
  printf ("%ld %d\n", sum, r[N - 1].age);
  return 0;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a
use () { compile_use -fno-unroll-loops -fprofile-mem-remarks=remarks -fopt-info-optimized=said "$@" a.c -o use; same_output ./plain ./use; }
prefetches () { objdump -d --disassemble="$1" use | grep -cE "prefetch|prfu?m"; }
use -fchecking -fprofile-mem-move-fields
expect said 'a.c:9:.* strided prefetch [0-9]+ iterations of -256 bytes ahead: 40000.0 iterations'
expect_not said 'a.c:15:.*memprof: .*strided'
expect said 'a.c:21:.* strided prefetch [0-9]+ iterations of 256 bytes ahead'
expect remarks '"line":21,.*"kind":"field-order","taken":true'
expect remarks '"line":9,.*"kind":"prefetch","taken":true'
[ "$(prefetches column) $(prefetches lines) $(prefetches ask)" = "1 0 1" ] || fail "not 1, 0 and 1 prefetches"
# Without the other order the three fields are on as many lines of four.
rm remarks
use
expect_not remarks '"line":21,.*"taken":true'
use -fprofile-mem-move-fields -fprofile-mem-use-no=prefetch
[ "$(prefetches column) $(prefetches ask)" = "0 1" ] || fail "not what belongs to field-order alone"
