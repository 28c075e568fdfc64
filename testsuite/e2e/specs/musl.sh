# musl.sh - a program for musl is refused when it is compiled, with one message.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
int main (void) { return 0; }
END
# What musl-gcc adds to the compiler's options.
for option in -fprofile-mem-generate -fprofile-mem-use; do
  for musl in "-nostdinc -isystem /usr/include/x86_64-linux-musl" -mmusl; do
    # shellcheck disable=SC2086
    run -s 1 "$CC" -specs="$specs" $option $musl a.c -o a
    expect err 'error: memprof: programs with musl can be neither profiled nor rebuilt'
    expect_equal "errors with $option $musl" "$(grep -c 'error:' err)" 1
  done
done
run "$CC" -specs="$specs" -nostdinc -isystem /usr/include/x86_64-linux-musl -c a.c
