# use/keeps-loads.sh - a loop with a load that gets a prefetch is not made vectors of, which would
# load one by one; one where none pays still is, and so is one for which the user asks.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=L1=32K/8,L2=256K/8,LLC=8M/16 # decisions do not depend on this machine

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__ ((noinline)) static unsigned
odd (const unsigned *a, const unsigned *b, unsigned n)
{
  unsigned sum = 0;
  ASKED
  for (unsigned i = 0; i < n; i++)
    if (a[b[i]] & 1)
      sum += i;
  return sum;
}
int main (int argc, char **argv)
{
  unsigned n = 1 << atoi (argv[1]), m = 1 << 19, x = 1;
  unsigned *a = malloc (n * sizeof *a), *b = malloc (m * sizeof *b);
  for (unsigned i = 0; i < n; i++)
    a[i] = i * 7;
  for (unsigned i = 0; i < m; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 8 & (n - 1);
  printf ("%u\n", odd (a, b, m));
  return 0;
}
END
vectors='^a.c:[89]:.*optimized: loop vectorized'
prefetch='^a.c:9:.*optimized: memprof: a\[b\[i\]\]: indirect prefetch'
compile_plain -O3 -DASKED= a.c -o plain -fopt-info-vec 2>plain.info
grep -q "$vectors" plain.info || skip "this compiler makes no vectors of the loop anyway"
compile_gen -O3 -DASKED= a.c -o a
run ./a 22
compile_use -O3 -DASKED= a.c -o use -fopt-info 2>info
expect info "$prefetch"
! grep "$vectors" info || fail "made vectors of"
same_output ./plain ./use 22
compile_use -O3 -fopenmp-simd -DASKED='_Pragma ("omp simd reduction (+: sum)")' a.c -o use -fopt-info 2>info
expect info "$vectors"
same_output ./plain ./use 22
rm a.memprof.json
run ./a 10
compile_use -O3 -DASKED= a.c -o use -fopt-info 2>info
expect info "$vectors"
same_output ./plain ./use 22
