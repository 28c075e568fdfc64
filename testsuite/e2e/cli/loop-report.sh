# loop-report.sh - lifetimes, and what show --loops says about running iterations
# side by side.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
int hist[4], table[64], *kept[10];
__attribute__ ((noipa)) void
fill (int *p, int v)
{
  for (int j = 0; j < 16; j++)
    p[j] = v + j;
}
__attribute__ ((noipa)) void
add (const int *p)
{
  for (int j = 0; j < 16; j++)
    hist[p[j] & 3] += 1;
}
__attribute__ ((noipa)) void
chain (void)
{
  for (int j = 1; j < 64; j++)
    table[j] = table[j - 1] + 1;
}
int
main (void)
{
  for (int i = 0; i < 100; i++)
    {
      int *scratch = malloc (64);
      fill (scratch, i);
      add (scratch);
      free (scratch);
      if (i % 10 == 0)
        kept[i / 10] = malloc (32);
    }
  chain ();
  return hist[1] == 0;
}
END
compile_gen -fprofile-mem-modules=default,lifetime,privatisation a.c -o a
run ./a
run "$memprof" validate a.memprof.json
expect_json a.memprof.json <<'END'
rows = {(p["groups"][r["group"]]["line"], r.get("loop")): r for r in p["lifetimes"]}
r = rows[26, loop(line=24)["id"]]
equal((r["objects"], r["always"]), (100, True))
# 16 stores, 16 loads and the loads and stores of hist: 64 accesses.
equal((r["min"], r["max"]), (64, 64))
equal(rows[31, None]["alive"], 10)
# malloc and free are calls of main.
equal(rows[26, loop(line=24)["id"]]["function"], "main")
main = {p["groups"][r["group"]]["line"]: r for r in p["privatisation"] if r["loop"] == loop(line=24)["id"]}
# Each iteration has its scratch memory, and adds to hist what comes in.
equal([main[26].get(k, 0) for k in ("loads", "stores", "exposed", "rewritten", "live_out")],
      [1600, 1600, 0, 0, 0])
hist = next(r for r in p["privatisation"] if r["loop"] == loop(line=24)["id"]
            and p["groups"][r["group"]]["function"] == "hist")
equal(hist["exposed"], 400)  # of the four numbers, once per iteration
END
run "$memprof" show --lifetimes a.memprof.json
expect out ' 100 +0 +64 +64(\.0*)? +64 +a\.c:24, always +main +malloc at a\.c:26'
run "$memprof" show --loops --top=0 a.memprof.json
expect out '^ +reduction\? .*a\.c:13:.* hist\[.* -> a\.c:13:.* hist\[.*, distance 4$'
expect out '^ +only reductions are carried in 1 run, 1,[67]00 iterations: candidate for OpenMP with reduction'
expect out '^ +carried +98\.4 %: a\.c:19:.* table\[j\] -> a\.c:19:.*, distance 1$'
expect out '^ +short-lived malloc at a\.c:26: 100 objects, each of one iteration$'
expect out '^ +no carried RAW in 1 run, 1,[67]00 iterations: candidate for OpenMP \(seen, not proven\)$'
run "$memprof" show --loops --json a.memprof.json
expect out '"reduction": *true'
