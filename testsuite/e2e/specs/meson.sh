# specs/meson.sh - a Meson project with the options in CFLAGS alone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need meson ninja
cat >meson.build <<'END'
project('p', 'c', 'cpp')
part = shared_library('part', 'part.cc')
executable('prog', 'main.c', link_with: part)
END
cat >part.cc <<'END'
extern "C" int part (int n) { int *a = new int[n](), s = 0; for (int i = 0; i < n; i++) s += a[i]; delete[] a; return s; }
END
cat >main.c <<'END'
int part (int);
int a[20];
int main (void) { for (int i = 0; i < 20; i++) a[i] = i; return part (10) + a[19] - 19; }
END
flags="-specs=$specs -O2 -fprofile-mem-generate=$PWD/prof"
CC=$CC CXX=$CXX CFLAGS=$flags CXXFLAGS=$flags meson setup b >log 2>&1 || { cat log >&2; fail "meson setup"; }
ninja -C b >log 2>&1 || { cat log >&2; fail "ninja"; }
rm -rf prof
run b/prog
expect_json prof/prog.memprof.json <<'END'
equal(len(p["modules"]), 2)
equal(sum(s["executions"] for s in sites(function="main", kind="store")), 20)
equal(sum(s["executions"] for s in sites(function="part", kind="load")), 10)
END
