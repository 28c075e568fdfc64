# use/stale.sh - a source that was changed since: one note with the matched
# share, not a warning; nothing to transform, so the code is that without a profile.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int table[10];
__attribute__ ((noinline)) int f (int i) { return table[i]; }
__attribute__ ((noinline)) int g (int i) { return table[i] + 1; }
int main (void) { return f (1) + g (2) - 1; }
END
compile_gen a.c -o a
run ./a
compile_use -Werror a.c -o use 2>err
expect_not err 'memprof'
sed -i 's/table\[i\] + 1/table[i] + table[i + 1] + 1/' a.c
compile_plain -g0 -S a.c -o plain.s
compile_use -Werror -g0 -S a.c -o use.s 2>err
expect_equal "notes" "$(grep -c memprof err)" 1
expect err 'note: memprof: 1 of 2 functions of .a\.c. have changed since .*: accesses of 1 are found again, 0 are compiled without a profile \(50 % matched\)'
cmp plain.s use.s || fail "the code differs"
passed
