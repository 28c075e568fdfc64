# specs/shared.sh - an instrumented library in a plain program finds the runtime.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >lib.c <<'END'
int sum (const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
END
cat >main.c <<'END'
int sum (const int *, int);
int a[10] = { 1, 2, 3 };
int main (void) { return sum (a, 10) - 6; }
END
compile_gen -shared -fPIC lib.c -o libsum.so
compile_plain main.c -L. -lsum -Wl,-rpath,"$PWD" -o main
run ./main
expect_json main.memprof.json <<'END'
equal(sum(s["executions"] for s in sites(kind="load")), 10)
END
