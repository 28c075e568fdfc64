# use/no-profile.sh - without a profile the code is the same as without us, and
# nothing is said unless asked for.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int f (int *a, int *b, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++) sum += a[b[i]];
  return sum;
}
int main (void) { return f (&(int) { 0 }, &(int) { 0 }, 1); }
END
compile_plain -g0 -S a.c -o plain.s
compile_use -Werror -g0 -S a.c -o use.s 2>err
expect_equal "messages" "$(cat err)" ""
cmp plain.s use.s || fail "the code differs"
compile_use -Wmissing-profile -g0 -S a.c -o use.s 2>err
expect err 'warning: memprof: .*\[-Wmissing-profile\]'
mkdir empty
compile -specs="$specs" -O2 -fprofile-mem-use=empty -S a.c -o use.s 2>err
expect_equal "messages" "$(cat err)" ""
cmp plain.s use.s || fail "the code differs with an empty folder"
# A profile of another program.
echo 'int main (void) { return 0; }' >b.c
compile_gen b.c -o b
run ./b
compile_use -Werror -g0 -S a.c -o use.s 2>err
expect_equal "messages" "$(cat err)" ""
cmp plain.s use.s || fail "the code differs with another program's profile"
passed
