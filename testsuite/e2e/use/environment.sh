# use/environment.sh - MPRT_USE_NO, MPRT_VETO, MPRT_TRIALS and MPRT_REMARKS reach a compile
# beside its options; a veto can be about one transformation.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cp "$MEMPROF_SRCDIR/testsuite/e2e/src/gather.c" a.c
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
taken 'branch-counts hot-functions huge-pages prefetch '
MPRT_USE_NO=prefetch taken 'branch-counts hot-functions huge-pages '
MPRT_USE_NO='huge*' taken 'branch-counts hot-functions prefetch '
MPRT_TRIALS=1 taken 'branch-counts hot-functions huge-pages prefetch '
expect remarks '; on trial"'
MPRT_USE_NO=prefetch taken '' -fprofile-mem-use-no='h*,branch*'
echo '@prefetch main' >veto
MPRT_VETO=veto taken 'branch-counts hot-functions huge-pages '
echo main >other
MPRT_VETO=veto taken '' -fprofile-mem-veto=other
printf '@huge-pages a.c:15\n@huge-pages a.c:16\n@prefetch a.c:99\n' >veto
MPRT_VETO=veto taken 'branch-counts hot-functions prefetch '
# Not of an instrumented build.
MPRT_USE_NO=prefetch MPRT_VETO=none compile_gen a.c -o a
passed
