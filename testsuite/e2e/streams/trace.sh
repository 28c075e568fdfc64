# trace.sh - memprof trace: requests to memory of a recorded run, and of whole streams.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
char array[1 << 20] __attribute__ ((aligned (4096)));
__attribute__ ((noipa)) static void
fill (char *to, int n)
{
  for (int i = 0; i < n; i += 64)
    to[i] = 1;
}
__attribute__ ((noipa)) static long
add (const char *from, int n)
{
  long sum = 0;
  for (int i = 0; i < n; i += 64)
    sum += from[i];
  return sum;
}
int
main (void)
{
  char *block = malloc (1 << 16);
  fill (block, 1 << 16);
  return add (array, 1 << 20) + add (block, 64) != 1;
}
END
compile_gen -fprofile-mem-modules=whole_stream a.c -o a
run -o file=record:modules=whole_stream ./a
run "$(plugin_argument backend)" --from record --output p.memprof.json
cat >check.py <<'END'
import struct, sys
text = [l.rstrip("\n").split(" ", 7) for l in open(sys.argv[1])]
assert text[0][0] == "#"
rows = text[1:]
data = [r for r in rows if r[6] == "0" and "array" in r[7]]
reads = {int(r[5], 16) for r in data if r[1] == "r"}
assert len(reads) == 16384 == len([r for r in data if r[1] == "r"]), len(reads)
assert not [r for r in data if r[1] == "w"]                 # only read
assert [r for r in rows if "malloc" in r[7] and r[1] == "w"]  # evicted by the array
walks = [r for r in rows if r[6] == "1" and "array" in r[7]]
assert 32 <= len(walks) <= 34, len(walks)                   # 256 entries, eight in a line
assert all(int(r[0], 16) % 64 == 0 for r in rows)
raw, names, found, at = open(sys.argv[2], "rb").read(), {0: "-"}, [], 8
assert raw[:8] == b"MPTRACE1"
while at < len(raw):
    p, v, t, pid, thread, o, w, walk, name, zero = struct.unpack_from("<QQQIIIBBBB", raw, at)
    at += 40
    if name:
        names[o] = raw[at:at + p].decode()
        at += (p + 7) // 8 * 8
    else:
        found.append([hex(p), "rw"[w], str(t), str(pid), str(thread), hex(v), str(walk), names[o]])
assert found == rows
END
small=--pages=L1TLB=16/4,L2TLB=64/4,LLC=32K/8,line=64
run "$memprof" trace $small record
mv out text
run "$memprof" trace $small --binary record
mv out binary
run "$PYTHON" check.py text binary
# Whole streams do not say which process it was.
run "$memprof" trace $small p.memprof.json
awk 'NR > 1 { $4 = 0 } { print }' text >without
cmp out without || fail "whole streams make other requests"
# A window: the same requests, by their time.
run "$memprof" trace $small --first=500 --count=1000 record
awk 'NR == 1 || ($3 >= 500 && $3 < 1500)' text >part
cmp out part || fail "a window has other requests"
# Phases: the same requests, added up. fill() makes the first 1024 accesses.
run "$memprof" trace $small --phases=1024 record
cp out phases
run "$memprof" trace $small --phases=1024 --json record
mv out lines
cat >phases.py <<'END'
import collections, json
sums = collections.defaultdict(lambda: [0, 0, 0])
for line in open("text").read().splitlines()[1:]:
    p, rw, time, pid, thread, v, walk, name = line.split(" ", 7)
    for of in ("all", name):
        sums[int(time) // 1024 * 1024, of][2 if walk != "0" else rw == "w"] += 1
found = {}
for line in open("phases").read().splitlines()[1:]:
    first, *figures, name = line.split(" ", 4)
    found[int(first), name] = [int(f) for f in figures]
for (first, name), figures in sums.items():
    if (first, name) in found:
        assert found.pop((first, name)) == figures, (first, name, figures)
    else:
        found[first, "others"] = [a - b for a, b in zip(found[first, "others"], figures)]
assert not any(any(f) for f in found.values()), found
assert sums[0, "all"] != sums[1024, "all"] and not [n for t, n in sums if t == 0 and "array" in n]
for line in open("lines").read().splitlines():
    r = json.loads(line)
    assert [r["reads"], r["writes"], r["walks"]] == sums[r["first"], "all"], r
END
run "$PYTHON" - <phases.py
passed
run -s 2 "$memprof" trace --phases=0 record
expect err '--phases wants a number'
run -s 2 "$memprof" trace nowhere
expect err 'nowhere'
run -s 2 "$memprof" trace --pages=LLC=none record
expect err 'pages'
run -s 2 "$memprof" trace --first=x record
expect err "wants a number, found 'x'"
run -s 2 "$memprof" trace --json --binary record
expect err 'two formats'
run "$memprof" trace $small --json record
cp out requests
"$PYTHON" - <<'END' || fail "--json says something else than the text"
import json
rows = [l.split(" ", 7) for l in open("text").read().splitlines()[1:]]
for line, row in zip(open("requests").read().splitlines(), rows, strict=True):
    r = json.loads(line)
    assert [hex(r["paddr"]), "rw"[r["write"]], str(r["time"]), str(r["pid"]), str(r["thread"]), hex(r["vaddr"]), str(r["walk"]),
            r["object"] or "-"] == row, (line, row)
END
passed
sed 's/"whole_stream":/"other":/' p.memprof.json >none.json
run -s 2 "$memprof" trace none.json
