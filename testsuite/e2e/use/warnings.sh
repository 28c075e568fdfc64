# use/warnings.sh - a program that compiles with -Wall -Wextra -Werror does so instrumented and rebuilt: no loop
# of ours warns that it is no vector.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__ ((noinline)) static unsigned long *
link_cells (unsigned long *p, unsigned long *end)
{
  for (; p < end; p += 4)
    {
      p[0] = (unsigned long) (p - 2);
      p[2] = (unsigned long) p;
    }
  return p - 2;
}
__attribute__ ((noinline)) static void
sum (int *to, const int *from, const int *scale, int n)
{
  for (int i = 0; i < n; i++)
    to[i] += from[i] * *scale;
}
int main (void)
{
  unsigned long *block = malloc (512 * sizeof *block), *last = 0;
  int *a = calloc (5000, sizeof *a), *b = calloc (5000, sizeof *b), scale = 3;
  for (int i = 0; i < 2000; i++) last = link_cells (block, block + 512);
  for (int i = 0; i < 100; i++) sum (a, b, &scale, 5000);
  printf ("%td %d\n", last - block, a[7]);
  return 0;
}
END
warnings="-Wall -Wextra -Wopenmp-simd -Werror"
for level in -O2 -O3; do
  compile_plain $level $warnings a.c -o plain
  compile_gen $level $warnings a.c -o a
  run ./a
  rm -f remarks
  # Eager, for GCC 14 makes vectors of the loop without the copy.
  compile_use $level $warnings -fplugin="$(plugin_file)" -fplugin-arg-memprof-eager -fprofile-mem-remarks=remarks a.c -o use
  expect remarks '"kind":"versioning","taken":true'
  same_output ./plain ./use
  rm a.memprof.json
done
