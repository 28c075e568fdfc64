# huge-pages-walks.sh - with the module pages, the hottest blocks by walks get huge pages; without it
# malloc's heap has them as a whole.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
enum { N = 1 << 22 };
__attribute__ ((noipa)) static int *
array (void)
{
  int *p = calloc (N, sizeof *p);
  return p ? p : (exit (2), p);
}
int
main (void)
{
  int *list = array (), *table = array ();
  unsigned x = 1;
  for (int i = 0; i < N; i++)
    {
      x = x * 1664525 + 1013904223;
      table[x >> 10] += list[i] + i;
    }
  return table[5] + list[7] == -1;
}
END
compile_gen -fprofile-mem-modules=default a.c -o a
run ./a
compile_use a.c -o use -fopt-info-optimized=info
expect info "huge pages for malloc's heap: 2 objects "
run ./use
rm info
compile_gen -fprofile-mem-modules=default,pages a.c -o a
MPRT_OPTIONS=merge=0:cache=TLB=1536/12:pages=L2TLB=1536/12 ./a || fail "./a"
compile_use a.c -o use -fopt-info-optimized=info
expect info 'site arena with huge pages: 2 objects .* first touch of 1[0-9] huge pages'
expect_not info 'only for number'
run ./use
