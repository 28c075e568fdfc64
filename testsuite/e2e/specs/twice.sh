# specs/twice.sh - -specs given twice, as when CFLAGS and CC both have it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int a[50];
int main (void) { for (int i = 0; i < 50; i++) a[i] = i; return a[49] - 49; }
END
compile_gen -specs="$specs" a.c -o a
run ./a
expect_json a.memprof.json 'equal(p["run"]["stores"], 50)'
compile_use -specs="$specs" a.c -o b
run ./b
