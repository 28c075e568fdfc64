# hot.sh - hot data streams: a list that is walked again and again, spread over the heap.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >walk.c <<'END'
#include <stdlib.h>
struct node { struct node *next; long key; char rest[240]; };
int
main (int argc, char **argv)
{
  struct node *list = NULL;
  long sum = 0, rounds = argc > 1 ? 60 : 40;
  for (int i = 0; i < 20; i++)
    {
      struct node *n = malloc (sizeof *n);
      n->next = list;
      n->key = i;
      list = n;
    }
  for (long r = 0; r < rounds; r++)
    for (struct node *n = list; n; n = n->next)
      sum += n->key;
  return sum == 7;
}
END
compile_gen -fprofile-mem-modules=whole_stream walk.c -o walk
run ./walk
run "$memprof" streams --json --potential --cache=256,8192 walk.memprof.json
cp out hot.json
run "$PYTHON" - <<'END'
import json
r = json.load(open("hot.json"))
hot, locality = r["hot_streams"], r["locality"]
assert hot["coverage"] >= 0.9, hot
assert hot["streams"] and all(s["heat"] == s["length"] * s["times"] for s in hot["streams"])
assert hot["wps1_ascii"] < hot["wps0_ascii"], hot
assert [p["multiple"] for p in hot["curve"]] == sorted({p["multiple"] for p in hot["curve"]})
assert 0 < locality["packing"] < 0.5, locality
assert 0 < locality["skew_addresses"] <= 1 and 0 < locality["skew_sites"] <= 1, locality
assert r["whole_stream"]["omsg_bytes"] > 0 and r["whole_stream"]["rules"] > 4, r["whole_stream"]
assert [p["cache"] for p in r["potential"]] == [256, 8192], r["potential"]
assert all(p["both"] <= p["prefetch"] <= p["misses"] >= p["misses_in_streams"] for p in r["potential"])
assert any("walk.c:" in s["place"] and "malloc at walk.c" in s["group"] for s in hot["streams"])
END
passed
run "$memprof" streams walk.memprof.json 1
expect out 'walk.c:1[0-9]:'
"$memprof" streams --json --sfg walk.memprof.json 1 >hot.json
run "$PYTHON" - <<'END'
import json
r = json.load(open("hot.json"))
assert r["stream"]["number"] == 1 and r["stream"]["heat"] > 0, r["stream"]
assert any("walk.c:1" in m["where"] and "malloc at" in m["object"] for m in r["stream"]["members"]), r["stream"]
assert r["flow_graph"]["edges"] and all(e["weight"] > 0 for e in r["flow_graph"]["edges"]), r["flow_graph"]
END
passed
run -s 2 "$memprof" streams --json --expand walk.memprof.json
expect err '--expand prints text'
run -s 2 "$memprof" streams walk.memprof.json 1000
expect err 'there is no stream 1000'
run "$memprof" streams --potential --cache=256,8192 walk.memprof.json
expect out '256 B .* (100|9[0-9])\.[0-9] % '
run "$memprof" streams --skew --name=object walk.memprof.json
expect out '90 % of the references'
run "$memprof" streams --sfg walk.memprof.json
expect out 'digraph streams'
expect out ' -> '
run "$memprof" streams --cdf walk.memprof.json
expect out '100\.0 % +100\.0 %'
run "$memprof" streams --level=2 walk.memprof.json
expect out '^ +2 '
run "$memprof" streams --level=1 --sfg walk.memprof.json
expect out 'digraph streams'
run -s 2 "$memprof" streams --level=1 walk.memprof.json 1
expect err '--level prints streams of streams'
"$memprof" streams --json --level=2 --cdf walk.memprof.json >levels.json
run "$PYTHON" - <<'END'
import json
r = json.load(open("levels.json"))
hot, levels, cdf = r["hot_streams"], r["levels"], r["distributions"]
assert [level["level"] for level in levels] == [1, 2], levels
covered = [hot["coverage"]] + [level["of_references"] for level in levels]
assert covered == sorted(covered, reverse=True), covered
assert levels[0]["wps_ascii"] == hot["wps1_ascii"] and levels[0]["text"] < hot["references"], levels
assert all(s["references"] >= 2 * len(s["streams"]) for level in levels for s in level["streams"])
assert all(p[-1]["streams"] == p[-1]["heat"] == 1 for p in cdf.values()), cdf
# All is on the heap but what main() has in registers.
assert hot["heap_references"] == hot["references"] and hot["global_references"] == 0, hot
END
passed
run "$memprof" streams --fast walk.memprof.json
expect out 'hot stream'
run "$memprof" streams --wps walk.memprof.json
expect out 'WPS0 [0-9,]+ bytes'
# Another input: the same places.
run -o output=other.json ./walk 1
run "$memprof" streams --name=group --against=other.json walk.memprof.json
expect out '(100|9[0-9])\.[0-9] % of the heat'
run -s 2 "$memprof" streams --name=nothing walk.memprof.json
expect err 'expected field, object, group, address, site-birth or site-ctx3'
# The papers' words for two of the divisions.
for names in object:site-birth group:site-ctx3; do
  run "$memprof" streams --name="${names%:*}" walk.memprof.json
  mv out ours
  run "$memprof" streams --name="${names#*:}" walk.memprof.json
  cmp ours out || fail "--name=${names#*:} is not --name=${names%:*}"
done
