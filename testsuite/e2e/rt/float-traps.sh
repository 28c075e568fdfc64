# The runtime calculates with whole numbers: a program may have made floating-point
# exceptions signals, or look which were raised.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#define _GNU_SOURCE
#include <fenv.h>
#include <stdio.h>
static int a[1000];
int main (int argc, char **argv)
{
  int sum = 0;
  if (argc > 1) feenableexcept (FE_ALL_EXCEPT);
  for (int round = 0; round < 2000; round++)
    for (int i = 0; i < 1000; i++) sum += a[(i * 7 + sum) & 511]++ & 1;
  printf ("%d %x\n", sum, fetestexcept (FE_ALL_EXCEPT));
}
END
compile_plain a.c -lm -o plain
for mode in full sample; do
  compile_gen -fprofile-mem-mode=$mode a.c -lm -o a
  same_output ./plain ./a
  same_output ./plain ./a traps
  rm a.memprof.json
done
