# use/opt-info.sh - decisions come with GCC's own options for remarks: taken,
# refused, both, of the loop group, and to a file.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
enum { N = 1 << 20, ROUNDS = 1 << 16 }; static volatile int few = 10; /* of a loop that stays one */
int main (void)
{
  long *a = calloc (N, sizeof *a); double sum = 0;
  unsigned *b = malloc (ROUNDS * sizeof *b), x = 1;
  for (int i = 0; i < N; i++) a[i] = i & 1;
  for (int i = 0; i < ROUNDS; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 12;
  for (int i = 0; i < ROUNDS; i++)
    if (a[b[i]]) sum += i;
  for (int i = 0; i < few; i++)
    if (a[b[i]]) sum += i;
  return sum == 0;
}
END
compile_gen a.c -o a
run ./a

remarks () # FORM TAKEN REFUSED: how many of each
{
  compile_use a.c -o use "-fopt-info$1" 2>err
  [ ! -f file ] || { expect_equal "messages besides the file" "$(cat err)" ""; mv file err; }
  expect_equal "-fopt-info$1: taken" "$(grep -c '^a.c:11:[0-9]*: optimized: .*memprof: .*: indirect prefetch' err)" "$2"
  expect_equal "-fopt-info$1: refused" "$(grep -c '^a.c:13:[0-9]*: missed: .*memprof: a\[b\[i\]\]: no prefetch: 10 executions' err)" "$3"
}
remarks "" 1 0
remarks -optimized 1 0
remarks -missed 0 1
remarks -optimized-missed 1 1
remarks -all 1 1
remarks -all-optall 1 1
remarks -loop 1 0
remarks -loop-missed 0 1
remarks -vec-all 0 0
remarks -note 0 0
remarks -optimized=file 1 0
remarks -missed=file 0 1
remarks -all-optall=file 1 1
passed
