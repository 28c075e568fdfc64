# use/options.sh - transformations can be switched off; profiles in a folder
# are taken together; a file may be named from elsewhere.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
mkdir src
cat >src/a.c <<'END'
#include <stdlib.h>
enum { N = 1 << 20, ROUNDS = 1 << 14 };
int main (void)
{
  long *a = calloc (N, sizeof *a); double sum = 0;
  unsigned *b = malloc (ROUNDS * sizeof *b), x = 1;
  for (int i = 0; i < N; i++) a[i] = i & 1;
  for (int i = 0; i < ROUNDS; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 12;
  for (int i = 0; i < ROUNDS; i++)
    if (a[b[i]]) sum += i;
  return sum == 0;
}
END
prefetches () { objdump -d "$1" | grep -cE "prefetch|prfu?m" || true; }

compile_gen src/a.c -o a
run ./a
compile_use src/a.c -o use -fopt-info-missed=missed
# 16384 executions are too few for one run ...
expect_equal "prefetches of a short run" "$(prefetches use)" 0
expect missed 'a.c:11:.*16384 executions are too few'
# ... but enough for two.
cp a.memprof.json b.memprof.json
compile_use -fno-unroll-loops src/a.c -o use
expect_equal "prefetches of two profiles" "$(prefetches use)" 1
compile_use -fprofile-mem-use-no=prefetch src/a.c -o use
expect_equal "prefetches switched off" "$(prefetches use)" 0
# Another way to name the source, from another folder.
(cd src && compile -specs="$specs" -O2 -g -fno-unroll-loops -fprofile-mem-use=.. a.c -o ../use)
expect_equal "prefetches from another folder" "$(prefetches use)" 1
