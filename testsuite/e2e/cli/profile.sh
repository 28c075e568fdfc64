# cli/profile.sh - show, explain and advise on a small profile written by hand.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >hand.json <<'END'
{"memprof": {"format": "1.0", "tool": "hand"},
 "program": {"name": "prog"},
 "run": {"complete": true, "mode": "full", "runs": 2, "accesses": 1500000, "loads": 1000000,
  "stores": 500000, "events_lost": 0, "external_calls": 0, "objects": 100001, "threads": 1,
  "duration_s": 1},
 "modules": [{"file": "../src/list.c", "functions": [{"name": "walk", "linkage_name": "walk",
  "checksum": 7, "line": 10, "loops": [{"id": 0, "line": 12, "invocations": 10,
   "iterations": 1000000}],
  "sites": [
   {"id": 0, "ordinal": 0, "kind": "load", "line": 13, "column": 9, "width": 8, "loop": 0,
    "type": "struct node", "field": "next", "expression": "p->next", "executions": 1000000},
   {"id": 1, "ordinal": 1, "kind": "store", "line": 14, "column": 5, "width": 4,
    "expression": "total", "executions": 500000}]}]}],
 "groups": [
  {"id": 0, "kind": "heap", "file": "../src/list.c", "line": 5, "function": "make",
   "allocator": "malloc", "type": "struct node", "objects": 100000, "bytes": 6400000000,
   "span": 6400000000, "accesses": 1000000},
  {"id": 1, "kind": "global", "file": "../src/list.c", "line": 2, "function": "total",
   "objects": 1, "bytes": 4, "span": 4, "accesses": 500000}],
 "strides": [{"site": 0, "executions": 1000000, "dominant": 64, "share": 0.9, "class": "ssst",
   "histogram": [[64, 900000], [-128, 99999]]}],
 "dependences": [{"source": 1, "sink": 0, "kind": "raw", "count": 250000, "frequency": 0.25,
   "iters": 250000, "loop": 0, "intra": 1000, "carried": 249000,
   "distance": {"min": 0, "max": 3, "histogram": [1000, 200000, 48000, 1000, 0, 0]}}],
 "points_to": [{"site": 0, "groups": [[0, 1000000]]}, {"site": 1, "groups": [[1, 500000]]}]
}
END
run "$memprof" show hand.json
expect out '^prog: 1,500,000 accesses \(1,000,000 loads, 500,000 stores\) to 100,001 objects in 2 runs'
expect out '66\.7 % +1,000,000 +load +8 +\.\./src/list.c:13:9 +walk +p->next +\+64 \(90\.0 %\) +malloc at'
expect out ' 6 GiB '
expect_not out 'Dependences'
expect_not out "$(printf '\033')"
run "$memprof" show --dependences --loops hand.json
expect out '^ +25\.0 % +250,000 +RAW +\.\./src/list.c:14:5 +\.\./src/list.c:13:9 +\.\./src/list.c:12 +1,000 +249,000 +0 +0\.\.3'
expect out '100,000 +1 +1, up to 25\.0 % +\.\./src/list.c:12 +walk'
run "$memprof" show --sites --top=1 hand.json
expect out 'Access sites \(1 of 2\)'
expect_not out 'list.c:14:5'
run "$memprof" show --object-relative hand.json
expect out 'the module object_relative was not on'

run "$memprof" explain hand.json list.c:13
expect out '^\.\./src/list.c:13:9: load of 8 bytes: p->next$'
expect out 'entered 10 times, 100,000 iterations each'
expect out '\+64 bytes in 90\.0 %: strong single stride'
expect out '100\.0 % malloc at \.\./src/list.c:5: 100,000 objects'
expect out 'written by +25\.0 % RAW \.\./src/list.c:14:5 \(total\), loop at .*249,000 carried, distance 0 to 3'
run -s 1 "$memprof" explain hand.json list.c:20
expect err 'the nearest one is in line 14'
run -s 1 "$memprof" explain hand.json other.c:20
expect err 'no site of a file other.c'

run "$memprof" advise --all hand.json
expect out '^prefetch: [01] of 1 executed load'
expect out '^(yes|no |\?  ) \.\./src/list.c:13:9: p->next in walk$'

# Everything is also JSON.
for c in "show --all" "explain" "advise --all"; do
  set -- $c
  command=$1; shift
  place=; [ $command = explain ] && place=src/list.c:13
  run "$memprof" $command --json "$@" hand.json $place
  "$PYTHON" -c 'import json, sys; assert json.load(sys.stdin)' <out || fail "$c --json is no JSON"
  passed
done
