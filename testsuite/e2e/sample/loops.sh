# sample/loops.sh - sample mode knows how often long loops are executed, although bursts
# seldom meet them, and where they go.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
enum { N = 100000 };
static double a[N], b[N], c[N];
static __attribute__ ((noinline)) void
set (long n) { for (long i = 0; i < n; i++) a[i] = i % 7; }
static __attribute__ ((noinline)) void
shift (long n) { for (long i = 1; i < n; i++) b[i] = a[i - 1] + a[i]; }
static __attribute__ ((noinline)) double
sum (const double *x, long n)
{
  double all = 0;
  for (long i = 0; i < n; i++)
    all += x[i];
  return all;
}
int
main (void)
{
  double all = 0;
  set (N);
  for (long r = 0; r < 300; r++)
    {
      shift (N);
      c[r % N] = all += sum (b, N);
      for (long k = 0; k < 100; k++)
	all += sum (a + k, 10);
    }
  printf ("%g\n", all);
  return 0;
}
END
full_and_sample a.c
cat >compare.py <<'END'
import collections
import json
def load(name):
    p = json.load(open(name))
    site = {s["id"]: (f["name"], s["ordinal"]) for m in p["modules"] for f in m["functions"]
            for s in f.get("sites", [])}
    executions = {site[s["id"]]: s["executions"] for m in p["modules"]
                  for f in m["functions"] for s in f.get("sites", [])}
    flow = collections.Counter()
    for r in [*p["dependences"], *p.get("inferred_dependences", [])]:
        flow[site[r["source"]], site[r["sink"]]] += r["count"]
    return executions, {site[r["site"]]: r["class"] for r in p["strides"]}, flow
(full, strides, flow), (sample, classes, inferred) = map(
    load, ("full.memprof.json", "a.memprof.json"))
for s, n in full.items():
    # It has 54 million iterations: a point each 200,000.
    if n > 10_000_000 and not 0.85 * n < sample[s] < 1.15 * n:
        print(s, "was executed", n, "times, not", sample[s])
    if n > 10_000_000 and classes.get(s) != strides[s]:
        print(s, "is", strides[s], "and not", classes.get(s))
for (source, sink), n in flow.items():
    if n > 10_000_000 and not 0.8 * n < inferred[source, sink] < 1.2 * n:
        print(source, sink, "met", n, "times, not", inferred[source, sink])
END
for options in "" period=20000:burst=25 bursts=1; do
  run -o "merge=0:$options" ./a
  cmp out wanted || fail "the output differs"
  validate a.memprof.json
  python3 compare.py >said
  [ ! -s said ] || fail "$options: $(cat said)"
done
