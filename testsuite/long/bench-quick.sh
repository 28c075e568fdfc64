#!/bin/sh
# bench-quick.sh - the benchmarks build and run: overhead adds up and compares,
# the consumers of the ring see each event once and in order, all maps count alike.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"
overhead=$MEMPROF_SRCDIR/testsuite/bench/overhead.py
PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE MEMPROF_SOURCES MEMPROF_SRCDIR MEMPROF_BUILDDIR

"${MEMPROF_PYTHON:-python3}" "$overhead" --quick -n 1 --variants discard,full --json "$work/a.json" \
  gemm mst empty minisat >table || fail "overhead.py fails"
"${MEMPROF_PYTHON:-python3}" "$overhead" --quick -n 1 --variants discard,full --compare "$work/a.json" \
  mst >compared || fail "overhead.py --compare fails"
grep -q '^mst .* discard [0-9.]* -> [0-9.]*.*full [0-9.]* -> ' compared || fail "no comparison: $(cat compared)"
python3 - <<'PY' || fail "the figures are wrong"
import json
data = json.load(open("a.json"))
rows = {row["name"]: row for row in data["programs"]}
mst = rows["mst"]
full, discard = mst["facts"]["full"], mst["facts"]["discard"]
assert full["complete"] and not full["events_lost"], full
# Each vertex looks at each that is left: at least n^2 / 2 accesses; 2 words or
# more per record, and no more records than accesses and events of loops.
assert full["accesses"] > 2000 * 2000 / 2, full
assert 0 < discard["records"] < 2 * full["accesses"], (discard, full)
assert discard["bytes"] >= 8 * discard["records"], discard
# The affine kernel is sent in few words.
gemm = rows["gemm"]["facts"]
assert gemm["discard"]["bytes"] < gemm["full"]["accesses"] / 4, gemm
assert data["geomeans"]["all"]["full"] > 1 and "edge" not in data["geomeans"], data["geomeans"]
PY
ok "$(sed -n 's/^= all *//p' table) (discard, full; small inputs, one run)"

MEMPROF_CXX="${MEMPROF_CXX:-g++}" sh "$MEMPROF_SRCDIR/testsuite/bench/event-queue.sh" 1 >queues \
  || fail "event-queue.sh fails"
grep -q '^ring, 8 consumers.* [0-9.]* ns per event' queues || fail "no figures: $(cat queues)"
ok "$(head -n 1 queues)"

MEMPROF_CXX="${MEMPROF_CXX:-g++}" sh "$MEMPROF_SRCDIR/testsuite/bench/containers.sh" 1 >maps \
  || fail "containers.sh fails"
grep -q '^  reducing map, 32 workers .* ns per insertion' maps || fail "no figures: $(cat maps)"
ok "maps count alike"

make -s -C "$MEMPROF_BUILDDIR" backend_modules leap_accuracy || fail "a benchmark does not compile"
"$MEMPROF_BUILDDIR/backend_modules" stride gemm | grep -q 'ns/access' || fail "backend_modules fails"
ok "the other benchmarks compile"
