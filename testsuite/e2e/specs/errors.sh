# specs/errors.sh - wrong combinations are one clear error; unknown flags are refused.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

echo 'int main (void) { return 0; }' >a.c

# one_error TEXT OPTION...
one_error ()
{
  text=$1; shift
  compile_fails -specs="$specs" "$@" -c a.c
  expect err "$text"
  expect_equal "number of errors for $*" "$(grep -c error: err)" 1
  expect_no_file a.o
}

one_error 'exclude each other' -fprofile-mem-generate -fprofile-mem-use
one_error 'exclude each other' -fprofile-mem-use=p.json -fprofile-mem-generate=d
one_error 'exclude each other' -specs="$specs" -fprofile-mem-generate -fprofile-mem-use
for sanitizer in address leak thread undefined,address; do
  one_error 'both replace malloc' -fprofile-mem-generate -fsanitize=$sanitizer
done
one_error 'need -fprofile-mem-generate$' -fprofile-mem-modules=stride
one_error 'need -fprofile-mem-generate$' -fprofile-mem-mode=full
one_error 'need -fprofile-mem-generate$' -fprofile-mem-alloc-fn=f:1
one_error 'need -fprofile-mem-generate$' -fprofile-mem-loops=a.c:1
one_error 'need -fprofile-mem-use$' -fprofile-mem-use-no=prefetch
one_error 'need -fprofile-mem-use$' -fprofile-mem-move-fields
one_error 'need -fprofile-mem-use$' -fprofile-mem-veto=f
one_error 'need -fprofile-mem-use$' -fprofile-mem-remarks=f
one_error 'need -fprofile-mem-generate or' -fprofile-mem-include=x
one_error 'unrecognized.*-fprofile-mem-bogus' -fprofile-mem-generate -fprofile-mem-bogus
one_error 'unrecognized.*-fprofile-mem-generated' -fprofile-mem-generated
one_error 'mode=warp' -fprofile-mem-generate -fprofile-mem-mode=warp

# Without the specs file GCC itself refuses, so nothing is silently ignored.
compile_fails -fprofile-mem-generate -c a.c
expect err 'unrecognized command-line option'
