# sample/groups.sh - a sampled group has the accesses of its sites, however rare they are: a sparse table gets no
# huge pages.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
static char big[1l << 28];
int main (void)
{
  unsigned r = 1;
  long s = 0, n = (1l << 28) / 65536;
  for (long i = 0; i < n; i++) big[i * 65536] = 1;
  for (long q = 0; q < 2000000; q++)
    {
      r = r * 1664525u + 1013904223u;
      if (q % 64 == 0) s += big[(r >> 8) % n * 65536];
      s += q ^ r;
    }
  printf ("%ld\n", s);
  return 0;
}
END
compile -specs="$specs" -O2 -g -fprofile-mem-generate a.c -o a
run ./a
expect_json a.memprof.json <<'END'
equal(p["run"]["mode"], "sample")
every = p["run"]["accesses"]
big = [g for g in p["groups"] if g["function"] == "big"]
check(len(big) == 1 and 0.9 * every <= big[0]["accesses"] <= every, (every, big))
check(25000 < every < 60000, every)
END
compile_use a.c -o use -fprofile-mem-remarks=remarks
expect remarks '"kind":"huge-pages","taken":false,"reason":"sparse".*"expression":"big"'
expect_not remarks '"kind":"huge-pages","taken":true'
