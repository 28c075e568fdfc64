# specs/cmake.sh - a CMake project with the options in CFLAGS alone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need cmake
cat >CMakeLists.txt <<'END'
cmake_minimum_required (VERSION 3.10)
project (p C CXX)
add_library (part SHARED part.cc)
add_executable (prog main.c)
target_link_libraries (prog part)
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
CC=$CC CXX=$CXX CFLAGS=$flags CXXFLAGS=$flags cmake -S . -B b >log 2>&1 || { cat log >&2; fail "cmake"; }
cmake --build b >log 2>&1 || { cat log >&2; fail "cmake --build"; }
rm -rf prof
run b/prog
expect_json prof/prog.memprof.json <<'END'
equal(len(p["modules"]), 2)
equal(sum(s["executions"] for s in sites(function="main", kind="store")), 20)
equal(sum(s["executions"] for s in sites(function="part", kind="load")), 10)
END
