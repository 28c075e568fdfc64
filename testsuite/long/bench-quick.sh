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

loop=$MEMPROF_SRCDIR/testsuite/bench/closed-loop.sh
sh "$loop" --quick --alone -n 2 -m 3 -w 1e-9 orderbook census >loop || fail "closed-loop.sh fails: $(cat loop)"
for line in '^orderbook .*field-order 1' '^  by hand .* n=3 ' '^  only field-order .* n=3 ' '^geomean of 2 ' \
            '^  field-order .*census .*orderbook\|^  field-order .*orderbook .*census'; do
  grep -q "$line" loop || fail "closed-loop.sh does not print $line: $(cat loop)"
done
sh "$loop" --quick --cpu --only versioning -n 1 -m 1 orderbook >loop || fail "closed-loop.sh fails: $(cat loop)"
grep -q '^orderbook .*nothing taken' loop || fail "--only does more: $(cat loop)"
python3 -B - "$MEMPROF_SRCDIR/testsuite/bench" <<'PY' || fail "paired.py is wrong"
import sys
sys.path.insert(0, sys.argv[1])
from paired import Failure, Ratio, measure
# Goes on to the most rounds where the interval stays wide, and stops where it is
# narrow.
wide, = measure(["true"], [["true"]], least=2, most=9, within=1e-9)
assert wide.pairs == 9 and wide.low <= wide.ratio <= wide.high, wide
enough, = measure(["true"], [["true"]], least=6, most=9, within=1e9)
assert enough.pairs == 6, enough
few, = measure(["true"], [["true"]], least=2, most=9, within=1e9, seconds=0)
assert few.pairs == 2, few
assert not Ratio(1, 1, 1, 1, 1, 1, 5).within_p(0.01)   # 5 rounds have no such interval
assert Ratio(2, 1.99, 2.01, 2, 1, 1, 15).within_p(0.01)
assert not Ratio(2, 1.9, 2.01, 2, 1, 1, 15).within_p(0.01)
from closed_loop import at_least, total
def verdict(low, ratio, high, rounds=15):
    return at_least(Ratio(ratio, low, high, ratio, 1, 1, rounds), 1.2, 0.01)
assert verdict(1.19, 1.199, 1.208) == "missed"
assert verdict(1.19, 1.2, 1.21) == "met"       # narrow: the median counts
assert verdict(1.1, 1.3, 1.5) == "unsure"      # wide: all of it would have to
assert verdict(1.2, 1.3, 1.5) == "met"
assert verdict(0.9, 1.0, 1.19) == "missed"
assert verdict(1.3, 1.3, 1.3, 5) == "unsure"   # no interval
assert total(["met", "missed", "met"], 2) == "met"
assert total(["met", "missed", "unsure"], 2) == "unsure"
assert total(["met", "missed"], 2) == "missed"
try:
    measure(["echo", "a"], [["echo", "b"]], same=True)
    raise AssertionError("other outputs were not seen")
except Failure:
    pass
PY
ok "$(grep '^geomean' loop) (the closed loop; small inputs)"

MEMPROF_CXX="${MEMPROF_CXX:-g++}" sh "$MEMPROF_SRCDIR/testsuite/bench/event-queue.sh" 1 >queues \
  || fail "event-queue.sh fails"
grep -q '^ring, 8 consumers.* [0-9.]* ns per event' queues || fail "no figures: $(cat queues)"
ok "$(head -n 1 queues)"

MEMPROF_CXX="${MEMPROF_CXX:-g++}" sh "$MEMPROF_SRCDIR/testsuite/bench/containers.sh" 1 >maps \
  || fail "containers.sh fails"
grep -q '^  reducing map, 32 workers .* ns per insertion' maps || fail "no figures: $(cat maps)"
ok "maps count alike"

make -s -C "$MEMPROF_BUILDDIR" backend_modules || fail "a benchmark does not compile"
"$MEMPROF_BUILDDIR/backend_modules" stride gemm | grep -q 'ns/access' || fail "backend_modules fails"
if "$MEMPROF_BUILDDIR/backend_modules" stride none >/dev/null 2>&1; then fail "backend_modules measures nothing"; fi
ok "backend_modules"

sh "$MEMPROF_SRCDIR/testsuite/bench/leap-accuracy.sh" 5000 >leap || fail "leap-accuracy.sh fails: $(tail -n 3 leap)"
grep -q '^  pairs within 10 %, mean of the programs: LEAP [0-9]' leap || fail "no figures: $(cat leap)"
: >nothing.stream
if "$MEMPROF_BUILDDIR/leap_accuracy" nothing.stream >/dev/null 2>&1; then fail "leap_accuracy compares nothing"; fi
ok "leap_accuracy"
