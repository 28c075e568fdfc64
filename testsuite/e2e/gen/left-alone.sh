# gen/left-alone.sh - functions that must not, or shall not, be instrumented.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int cells[4];
__attribute__ ((noinline, no_instrument_function)) void one (void) { cells[0]++; }
__attribute__ ((noinline, no_profile_instrument_function)) void two (void) { cells[1]++; }
static int impl (void) { return cells[2]++; }
static int (*resolve (void)) (void) { static int calls; calls++; return impl; }
int three (void) __attribute__ ((ifunc ("resolve")));
__attribute__ ((noinline)) void four (void) { cells[3]++; }
int main (void) { one (); two (); three (); four (); return cells[3] - 1; }
END
compile_gen a.c -o a
run ./a
expect_json a.memprof.json <<'END'
names = sorted(f["name"] for _, f in all_functions() if f["sites"])
equal(names, ["four", "impl", "main"])
equal(p["run"]["accesses"], 5)
END

# By name or by source file.
compile_gen -fprofile-mem-exclude='fo*,impl' a.c -o b
run ./b
expect_json b.memprof.json <<'END'
equal(sorted(f["name"] for _, f in all_functions() if f["sites"]), ["main"])
END
compile_gen -fprofile-mem-include='four' a.c -o c
run ./c
expect_json c.memprof.json <<'END'
equal(sorted(f["name"] for _, f in all_functions() if f["sites"]), ["four"])
END
compile_gen -fprofile-mem-exclude='*.c' a.c -o d
run ./d

# A transaction takes back what it stored, and records with it.
cat >t.c <<'END'
int cell;
__attribute__ ((noinline, transaction_safe)) void five (void) { cell += 5; }
__attribute__ ((noinline)) void six (void) { __transaction_atomic { cell++; five (); } }
int main (void) { five (); six (); return cell - 11; }
END
for mode in full sample; do
  compile_gen -fgnu-tm -fchecking -fprofile-mem-mode=$mode t.c -o t
  run ./t
done
rm t.memprof.json
compile_gen -fgnu-tm t.c -o t
run ./t
expect_json t.memprof.json <<'END'
equal(sorted(f["name"] for _, f in all_functions() if f["sites"]), ["five", "main"])
END
compile_use -fgnu-tm t.c -o t
run ./t

# 32-bit code has no room in the records: an error, not an ICE.
case $target in aarch64-*) small=-mabi=ilp32 ;; *) small=-m32 ;; esac
compile_fails -specs="$specs" $small -fprofile-mem-generate -S a.c -o a.s
expect err 'needs a 64-bit target'
