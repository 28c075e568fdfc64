# gen/levels.sh - every kind of statement: each coalescing level gives the same
# executions per site, iterations and dependences, and the program's output.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >same.py <<'END'
import json, sys
def facts(path):
    p = json.load(open(path))
    names, rows = {}, []
    for m in p["modules"]:
        for f in m["functions"]:
            for n, s in enumerate(f["sites"]):
                names[s["id"]] = (f["name"], n)
                rows.append((f["name"], n, s["kind"], s["executions"]))
            for l in f.get("loops", []):
                rows.append((f["name"], l["line"], l.get("invocations"), l.get("iterations")))
    for d in p.get("dependences", []):
        rows.append((names.get(d["source"]), names.get(d["sink"]), d["kind"],
                     d["count"], d.get("carried"), d.get("intra")))
    return sorted(map(repr, rows)), p["run"]["accesses"]
first, accesses = facts(sys.argv[1])
assert accesses > 100, accesses
for other in sys.argv[2:]:
    rows, _ = facts(other)
    for r in set(first) ^ set(rows):
        print(other, r)
    assert rows == first, other
END
source=$MEMPROF_SRCDIR/testsuite/e2e/src/statements.c
for o in -O0 -O1 -O2 -O3 -Os -Og; do
  compile -w $o "$source" -o plain
  ./plain >plain.out
  for level in nest range block access; do
    profile_at_level $level -w $o "$source"
  done
  "$PYTHON" same.py nest.memprof.json range.memprof.json \
    block.memprof.json access.memprof.json >&2 || fail "$o: the levels differ"
  passed
done
