# use/veto.sh - what -fprofile-mem-veto names is not transformed, and the remark
# says by which line; a file that cannot be read is an error.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
mkdir src
cat >src/a.c <<'END'
#include <stdlib.h>
enum { N = 1 << 20, ROUNDS = 1 << 16 };
static double gather (long *a, unsigned *b)
{
  double sum = 0;
  for (int i = 0; i < ROUNDS; i++)
    if (a[b[i]]) sum += i;
  return sum;
}
int main (void)
{
  long *a = calloc (N, sizeof *a);
  unsigned *b = malloc (ROUNDS * sizeof *b), x = 1;
  for (int i = 0; i < N; i++) a[i] = i & 1;
  for (int i = 0; i < ROUNDS; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 12;
  return gather (a, b) == 0;
}
END
compile_gen src/a.c -o a
run ./a

prefetches () # VETO-ENTRY COUNT: so many there are with it
{
  printf '# a comment\n\n%s\n' "$1" >veto.txt
  compile_use -fno-unroll-loops src/a.c -o use -fprofile-mem-veto=veto.txt \
    -fopt-info-missed=missed
  expect_equal "prefetches with $1" "$(objdump -d use | grep -cE "prefetch|prfu?m")" "$2"
}
for entry in a.c:7 src/a.c:7:10 '  main ' gather 'gat*'; do
  prefetches "$entry" 0
  expect missed 'a.c:7:10: missed: .*no prefetch: vetoed by veto.txt:3$'
done
for entry in a.c:8 b/a.c:7 ba.c:7 src/a.c:7:11 gathe '# main'; do
  prefetches "$entry" 1
done
status=0
"$CC" -specs="$specs" -O2 -fprofile-mem-use -fprofile-mem-veto=none.txt \
  src/a.c -o use 2>err || status=$?
expect_equal "exit status without the file" "$status" 1
expect err "error: memprof: cannot read 'none.txt', the file of"
expect_equal "errors" "$(grep -c error err)" 1
passed
