# use-environment.sh - MPRT_USE_NO, MPRT_VETO and MPRT_REMARKS reach a compile
# beside its options; a veto can be about one transformation.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END2'
#include <stdlib.h>
enum { N = 1 << 22, ROUNDS = 1 << 18 };
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
    b[i] = (x = x * 1664525 + 1013904223) >> 10;
  return gather (a, b) == 0;
}
END2
compile_gen a.c -o a
run ./a

taken () # KINDS [OPTION...]: with the environment as it is
{
  kinds=$1; shift
  rm -f remarks own
  MPRT_REMARKS=$PWD/remarks compile_use a.c -o use -fprofile-mem-remarks=own "$@"
  expect_no_file own
  expect_equal "taken" "$(sed -n '/"taken":true/s/.*"kind":"\([a-z-]*\)".*/\1/p' remarks | sort -u | tr '\n' ' ')" "$kinds"
}
taken 'huge-pages prefetch '
MPRT_USE_NO=prefetch taken 'huge-pages '
MPRT_USE_NO='huge*' taken 'prefetch '
MPRT_USE_NO=prefetch taken '' -fprofile-mem-use-no=huge-pages 
echo '@prefetch main' >veto
MPRT_VETO=veto taken 'huge-pages '
echo main >other
MPRT_VETO=veto taken '' -fprofile-mem-veto=other
printf '@huge-pages a.c:12\n@prefetch a.c:99\n' >veto
MPRT_VETO=veto taken 'prefetch '
# Not of an instrumented build.
MPRT_USE_NO=prefetch MPRT_VETO=none compile_gen a.c -o a
passed
