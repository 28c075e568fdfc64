# gen/loops.sh - -fprofile-mem-loops: only the accesses of some loops.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int cells[64], other[64], sum;
__attribute__ ((noinline)) void
work (int n)
{
  for (int k = 0; k < n; k++)
    {
      cells[k & 63] += k;
      for (int i = 0; i < 64; i++)
	sum += other[i] * cells[i];
    }
  for (int i = 0; i < 64; i++)
    other[i] = i;
}
int
main (void)
{
  for (volatile int i = 0; i < 9; i++)
    work (10);
  return 0;
}
END
compile_gen a.c -o a
run ./a
validate a.memprof.json
"$memprof" show --hottest-loop a.memprof.json >text || fail "no hottest loop"
expect text '^a.c:8$'

# The one loop, with the loops around it and their iterations, and nothing else.
rm a.memprof.json
compile_gen -fprofile-mem-loops="$(cat text)" a.c -o a
run ./a
validate a.memprof.json
expect_json a.memprof.json <<'END'
sites = [s for _, f in all_functions() for s in f["sites"] if s["executions"]]
equal({s["line"] for s in sites}, {9})
equal({s["executions"] for s in sites}, {5760})
loops = {l["line"]: l["iterations"] for _, f in all_functions() for l in f["loops"]}
equal(loops[5], 90)
END

# A loop represents those inside it; patterns.
rm a.memprof.json
compile_gen -fprofile-mem-loops='b.c:*,*.c:5' a.c -o a
run ./a
expect_json a.memprof.json <<'END'
sites = [s for _, f in all_functions() for s in f["sites"] if s["executions"]]
equal({s["line"] for s in sites}, {7, 9})
END

# None: objects and loops remain.
rm a.memprof.json
compile_gen -fprofile-mem-loops='a.c:1' a.c -o a
run ./a
expect_json a.memprof.json <<'END'
equal(p["run"]["accesses"], 0)
END
"$memprof" show --hottest-loop a.memprof.json 2>text && fail "a loop that nothing ran in"
expect text 'no access'
compile_use a.c -o u
run ./u
