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
