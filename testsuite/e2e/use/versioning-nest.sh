# versioning-nest.sh - short rows have one check in front of the nest of loops;
# the output is right wherever the operands are.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END_OF_PROGRAM'
#include <stdio.h>
#include <stdlib.h>
__attribute__ ((noinline)) void
scale (unsigned char *out, const unsigned char *in, const unsigned char *k,
       int w, int h, int stride)
{
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      out[y * stride + x] = in[y * stride + x] ^ k[1];
}
int main (int argc, char **argv)
{
  int w = atoi (argv[1]), shift = atoi (argv[2]), stride = atoi (argv[3]);
  unsigned char *a = calloc (1 << 17, 1), *b = calloc (1 << 17, 1), k[2] = { 1, 2 };
  unsigned char *middle = a + (1 << 16);
  unsigned sum = 0;
  for (int i = 0; i < 1 << 17; i++) b[i] = i * 7, a[i] = i >> 8;
  for (int i = 0; i < 100; i++)
    scale (middle, shift ? middle - shift : b + (1 << 16),
	   shift ? middle + 3 * shift : k, w, 500, stride);
  for (int i = 0; i < 1 << 17; i++) sum = sum * 31 + a[i];
  printf ("%u\n", sum);
  return 0;
}
END_OF_PROGRAM
cat >b.c <<'END_OF_PROGRAM'
#include <stdio.h>
#include <stdlib.h>
__attribute__ ((noinline)) void
product (float *c, const float *a, const float *b, int n)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
int main (int argc, char **argv)
{
  int n = 60, at = atoi (argv[1]);
  float *a = calloc (3 * n * n, sizeof *a), sum = 0;
  for (int i = 0; i < 3 * n * n; i++) a[i] = i % 7 - 3;
  product (a, a + at, a + 2 * n * n, n);
  for (int i = 0; i < n * n; i++) sum += (int) a[i] % 11;
  printf ("%g\n", sum);
  return 0;
}
END_OF_PROGRAM
compile_plain b.c -o plain
compile_gen b.c -o b
run ./b 3600
compile_use -fchecking b.c -o use -fopt-info-optimized=remarks
expect remarks 'b.c:9:.*: loop nest versioned on .*two outer iterations at once'
expect remarks 'b.c:7:.*: applying unroll and jam with factor 2'
for at in 0 1 3599 3600; do
  same_output ./plain ./use $at
done
rm remarks
compile_use -fno-loop-unroll-and-jam b.c -o use -fopt-info-optimized=remarks
expect_not remarks 'unroll and jam'

compile_plain a.c -o plain
compile_gen a.c -o a
run ./a 16 0 64
compile_use -fchecking a.c -o use -fopt-info-optimized=remarks
expect remarks 'a.c:9:.* optimized: memprof: .*: loop nest versioned on [1-9].* 16.0 iterations per entry, 500.0 entries per check'
for stride in 64 16 5 0 -64; do
  for arguments in "16 0" "16 1" "16 5" "64 100" "3 64" "1 1" "0 3" "17 -40"; do
    same_output ./plain ./use $arguments $stride
  done
done
