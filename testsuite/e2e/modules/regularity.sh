# regularity.sh - streams of addresses: regular loops, an index and what it leads to.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
__attribute__ ((noipa)) void
blur (double *to, const double *from, int n)
{
  for (int i = 1; i < n - 1; i++)
    to[i] = from[i - 1] + from[i] + from[i + 1];
}
__attribute__ ((noipa)) double
gather (const double *a, const int *at, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[at[i]];
  return sum;
}
int
main (void)
{
  static double x[20000], y[20000];
  static int at[20000];
  for (int i = 0; i < 20000; i++)
    at[i] = rand () % 20000;
  blur (y, x, 20000);
  return gather (x, at, 20000) != 0;
}
END
for level in -O0 -O2; do
  rm -f a.memprof.json
  compile_gen $level -fprofile-mem-modules=regularity a.c -o a
  run ./a
  run "$memprof" validate a.memprof.json
  "$memprof" show --all --regularity --json a.memprof.json >rows.json
  "$PYTHON" - <<'END' || fail "rows are not as expected"
import json
rows = [r for v in json.load(open("rows.json")).values() if isinstance(v, list) for r in v
        if isinstance(r, dict) and r.get("of") == "loop"]
blur, gather = ([r for r in rows if r["where"].endswith("in " + f)][0] for f in ("blur", "gather"))
assert blur["class"] == "regular" and blur["regularity"] > 0.99, blur
assert gather["class"] != "regular" and gather["regularity"] < 0.85, gather
END
  passed
done
"$PYTHON" - <<'END' || fail "windows see something else"
import json
rows = [r for v in json.load(open("rows.json")).values() if isinstance(v, list) for r in v
        if isinstance(r, dict) and r.get("of") == "loop"]
assert any(r["looked"] < 1 for r in rows), rows
json.dump({r["where"]: r for r in rows}, open("windows.json", "w"))
END
rm a.memprof.json
run -o period=0 ./a
run "$memprof" validate a.memprof.json
"$memprof" show --all --regularity --json a.memprof.json >rows.json
"$PYTHON" - <<'END' || fail "windows see something else than all"
import json
windows = json.load(open("windows.json"))
rows = [r for v in json.load(open("rows.json")).values() if isinstance(v, list) for r in v
        if isinstance(r, dict) and r.get("of") == "loop"]
assert len(rows) >= 3, rows
for row in rows:
    assert row["looked"] == 1, row
    seen = windows[row["where"]]
    assert abs(seen["regularity"] - row["regularity"]) <= 0.02 and seen["class"] == row["class"], (seen, row)
END
passed
expect_json a.memprof.json <<'END'
equal(sum(r["references"] for r in p["regularity"]), p["run"]["accesses"])
END
run "$memprof" advise a.memprof.json
expect out '^\?   a\.c:5: prefetching in blur'
expect out '^\?   a\.c:12: scatter/gather in gather'
expect out '^    only [345][0-9]\.[0-9] % of the references are in streams'
