# sample/calls.sh - sample mode knows which call has brought what lies in a window: memcpy or read,
# which bursts seldom meet.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
enum { N = 1 << 16 };
static char window[2 * N];
int
main (void)
{
  unsigned long sum = 0, at = 1;
  int in = open ("in", O_RDONLY);
  long n;
  while ((n = read (in, window + N, N)) > 0)
    {
      for (long k = 0; k < n; k++)
	{
	  at = at * 5 + 1;
	  sum += window[at >> 5 & (2 * N - 1)];
	}
      memcpy (window, window + N, n);
    }
  printf ("%lu\n", sum);
  return 0;
}
END
head -c 10000000 /dev/zero | tr '\0' 'x' >in
full_and_sample a.c
run ./a
cmp out wanted || fail "the output differs"
validate a.memprof.json
cat >compare.py <<'END'
import json
def load(name):
    p = json.load(open(name))
    kind = {s["id"]: (s["ordinal"], s["kind"]) for m in p["modules"] for f in m["functions"]
            for s in f.get("sites", [])}
    flow = {}
    for r in [*p["dependences"], *p.get("inferred_dependences", [])]:
        if r["source"] in kind:
            pair = kind[r["source"]], kind[r["sink"]]
            flow[pair] = flow.get(pair, 0) + r["count"]
    return {pair: n for pair, n in flow.items() if n > 100000}
full, sample = load("full.memprof.json"), load("a.memprof.json")
if full.keys() != sample.keys() or len(full) != 1:
    print("pairs are", full, "and not", sample)
for pair, n in full.items():
    if not 0.75 * n < sample.get(pair, 0) < 1.25 * n:
        print(pair, "met", n, "times, not", sample.get(pair, 0))
END
python3 compare.py >said
[ ! -s said ] || fail "$(cat said)"
