# use/other-options.sh - options that change code and differ from those of the
# profile are named in one note; options that do not are not.
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
compile_use -Werror -Wall -g0 -DX -fverbose-asm -fmax-errors=3 a.c -o use 2>err
expect_equal "notes for equal code" "$(cat err)" ""
compile_use -Werror -fno-tree-ccp -O3 a.c -o use 2>err
expect_equal "notes" "$(grep -c 'note: memprof: .*profiled' err)" 1
expect_not err 'In function'
expect err "'a.c' was profiled without '-O3 -fno-tree-ccp'"
compile_use -Werror -std=c99 a.c -o use 2>err
expect err "'a.c' was profiled without '-std=c99'; functions that this changes"
rm a.memprof.json
compile -specs="$specs" -O1 -g -fprofile-mem-generate a.c -o a
run ./a
compile -specs="$specs" -O2 -g -fprofile-mem-use a.c -o use 2>err
expect err "'a.c' was profiled with '-O1' instead of '-O2'"
passed
