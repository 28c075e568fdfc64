#!/bin/sh
# wrapping-index.sh - loops over narrow unsigned indices are ranges, also when
# the index wraps around.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)

cat >a.c <<'END'
unsigned table[256], out[300];
__attribute__ ((noinline)) static void
copy (unsigned char start, unsigned n)
{
  for (unsigned k = 0; k < n; k++)
    out[k] = table[(unsigned char) (start + k)];
}
__attribute__ ((noinline)) static double
far (double *x, unsigned start, unsigned n)
{
  double s = 0;
  for (unsigned k = 0; k < n; k++)
    s += x[start + k];
  return s;
}
static double x[20];
int
main (void)
{
  double s = 0;
  for (int i = 0; i < 10; i++)
    {
      copy (i * 20, 100);
      s += far (x, i, 10);
    }
  return s != 0 || out[0] != 0;
}
END
compile_gen -fprofile-mem-modules=stride,dependence,object_relative a.c -o a
run ./a
run -o file=s ./a
"$backend" --counts s >counts
expect counts 'RANGE copy'
expect counts 'RANGE far'
expect_json a.memprof.json <<'END'
equal(site(line=6, kind="load")["executions"], 1000)
equal(site(line=13)["executions"], 100)
# Once in 10 calls the index of copy passes 255; then it starts where it likes.
strides = dict(stride(site(line=6, kind="load"))["histogram"])
equal(strides[4], 988)
equal(strides[-1020], 2)
END
