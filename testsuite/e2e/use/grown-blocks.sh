# use/grown-blocks.sh - a block with huge pages that realloc makes larger stays one mapping, so that
# the kernel moves it: with pieces of two kinds realloc would copy it each time.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=TLB=64/4 # decisions do not depend on this machine

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
cat >a.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* How many mappings hold the block, from the page in which P lies.  */
static void show_mappings (const char *p, size_t bytes)
{
  char line[512];
  unsigned long begin, end, pieces = 0;
  FILE *f = fopen ("/proc/self/maps", "r");
  while (fgets (line, sizeof line, f))
    if (sscanf (line, "%lx-%lx", &begin, &end) == 2 && begin < (uintptr_t) p + bytes
	&& end > ((uintptr_t) p & -4096))
      pieces++;
  fprintf (stderr, "pieces %lu\n", pieces);
}
int main (int argc, char **argv)
{
  unsigned x = 1, sum = 0;
  size_t n = 0;
  int *block = NULL;
  for (int round = 0; round < 12; round++)
    {
      n += (1 << 20) + 1000 * round;
      block = realloc (block, n * sizeof *block);
      for (size_t i = n - (1 << 20); i < n; i++)
	block[i] = i;
      for (int i = 0; i < 50000; i++)
	sum += block[(x = x * 1664525 + 1013904223) % n]++;
      if (argc > 1)
	show_mappings ((char *) block, n * sizeof *block);
    }
  printf ("%u\n", sum);
  free (block);
  return 0;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a
for flags in '' -static; do
  compile_use $flags -fopt-info-optimized a.c -o a 2>info
  expect info 'memprof: realloc: site arena with huge pages'
  same_output ./plain ./a
  ./a x 2>pieces >/dev/null
  expect pieces 'pieces 1'
  expect_not pieces 'pieces [^1]'
done
