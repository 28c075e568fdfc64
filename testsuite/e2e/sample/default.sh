# sample/default.sh - without -fprofile-mem-mode= a program is sampled, unless a module needs
# every access.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
static int a[1000];
int
main (void)
{
  int sum = 0;
  for (int i = 0; i < 100000; i++)
    sum += a[i * 7 % 1000]++;
  return sum == 0;
}
END
# expect_mode MODE FLAGS...: what the compiler says -> said.
expect_mode ()
{
  wanted=$1; shift
  rm -f a.memprof.json
  compile -specs="$specs" -O2 -fprofile-mem-generate "$@" a.c -o a 2>said
  run ./a
  expect_json a.memprof.json "equal(p['run']['mode'], '$wanted')"
}
note='^cc1: note: memprof: .-fprofile-mem-modules=.*. needs every access, so this is .-fprofile-mem-mode=full.$'
expect_mode sample
expect_mode sample -fprofile-mem-modules=default,stride
expect_not said 'note:'
for modules in dead_store default,lifetime all; do
  expect_mode full -fprofile-mem-modules=$modules
  expect said "$note"
  expect_equal "notes" "$(grep -c note: said)" 1
done
# -fprofile-mem-mode= has the last word.
expect_mode sample -fprofile-mem-modules=dead_store,stride -fprofile-mem-mode=sample
expect err 'dead_store'
expect_mode full -fprofile-mem-mode=full -fprofile-mem-modules=all
expect_not said 'note:'
passed
