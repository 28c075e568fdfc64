# regularity-rules.sh - loops that call for fission, unrolling and fusion, and the same after them.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
/* Of different lengths: else x[i], y[i] and z[i] would be a stream.  */
enum { N = 12000 };
long x[N + 9], y[N + 170], z[N + 9], v[N + 400], w[N + 900], many[8 * N];
__attribute__ ((noipa)) static long
crowded (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    {
      volatile long *p = &many[8 * (i * 7919 % N)];
      sum += *p + *p + *p + x[i] + y[i] + z[i] + v[i] + w[i];
    }
  return sum;
}
__attribute__ ((noipa)) static long
split (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] + y[i] + z[i] + v[i] + w[i];
  for (int i = 0; i < n; i++)
    {
      volatile long *p = &many[8 * (i * 7919 % N)];
      sum += *p + *p + *p;
    }
  return sum;
}
__attribute__ ((noipa)) static void
two_passes (int n)
{
  for (int i = 0; i < n; i++)
    x[i] = x[i] / 2 + y[i];
  for (int i = 0; i < n; i++)
    y[i] = y[i] / 2 + x[i];
}
__attribute__ ((noipa)) static void
one_pass (int n)
{
  for (int i = 0; i < n; i++)
    {
      x[i] = x[i] / 2 + y[i];
      y[i] = y[i] / 2 + x[i];
    }
}
int
main (void)
{
  two_passes (N);
  one_pass (N);
  return crowded (N) != split (N);
}
END
compile_gen -fprofile-mem-modules=regularity,points_to a.c -o a
run -o period=0 ./a
run "$memprof" advise a.memprof.json
expect out 'a\.c:8: fission in crowded'
expect out 'a\.c:8: unrolling in crowded'
expect_not out 'fission in split'
expect out 'a\.c:21: unrolling in split'
expect out 'a\.c:31: fusion in two_passes'
expect_not out 'fusion in (one_pass|crowded)'
