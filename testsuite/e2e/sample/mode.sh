# sample/mode.sh - -fprofile-mem-mode=sample: counts from bursts agree with all.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long value; };
long cells[512];
static __attribute__ ((noinline)) long
chase (struct node *p)
{
  long sum = 0;
  for (; p; p = p->next)
    {
      sum += p->value;
      cells[p->value & 511]++;
    }
  return sum;
}
static __attribute__ ((noinline)) long
leaf (long *p) { return *p; }
static int
depth (struct node *p)
{
  return p ? 1 + depth (p->next) + (int) leaf (&p->value) % 2 : 0;
}
int
main (void)
{
  struct node *list = NULL;
  for (int i = 0; i < 1000; i++)
    {
      struct node *n = malloc (sizeof *n);
      *n = (struct node) { list, i * 7 % 1000 };
      list = n;
    }
  long sum = 0;
  for (int i = 0; i < 3000; i++)
    sum += chase (list) + cells[i & 511];
  for (int i = 0; i < 300; i++)
    sum += depth (list);
  printf ("%ld\n", sum);
  return 0;
}
END
full_and_sample a.c
run -o period=20000:burst=1000 ./a
cmp out wanted || fail "the output differs"
validate a.memprof.json
cat >compare.py <<'END'
import json
full, sample = (json.load(open(f)) for f in ("full.memprof.json", "a.memprof.json"))
def sites(p):
    return {(f["name"], s["ordinal"]): s for m in p["modules"] for f in m["functions"] for s in f["sites"]}
a, b = sites(full), sites(sample)
hot = [k for k in a if a[k]["executions"] >= 100000]
assert len(hot) >= 4, hot
for k in hot:
    share = b[k]["executions"] / a[k]["executions"]
    assert 0.8 < share < 1.25, (k, a[k], b[k])
    assert 0 < b[k]["error"] < 0.3, b[k]
def strides(p):
    by = {s["id"]: k for k, s in sites(p).items()}
    return {by[r["site"]]: r["class"] for r in p["strides"]}
s, t = strides(full), strides(sample)
assert all(s[k] == t[k] for k in hot), [(k, s[k], t[k]) for k in hot]
def pairs(p):
    by = {s["id"]: k for k, s in sites(p).items()}
    return {(by.get(d["source"]), by[d["sink"]]): d["frequency"] for d in p["dependences"] if "loop" in d}
d, e = pairs(full), pairs(sample)
# cells[x]++ reads what an earlier iteration wrote, or the last call.
assert any(k[1][0] == "chase" for k in e), e
assert set(e) <= set(d), set(e) - set(d)
print("same", len(hot))
END
$PYTHON compare.py >text || fail "sample and full disagree"
expect text '^same'
expect_json a.memprof.json <<'END'
run = p["run"]
equal(run["mode"], "sample")
equal(run["complete"], True)
# The first ones are short, and so are most.
equal(300 < run["burst_length"] < 2000, True)
equal(run["bursts"] > 100, True)
# What came "earlier" is mostly between the bursts.
equal("object_relative" in p, True)
equal("mdf" in p, False)
equal(0.03 < run["share"] < 0.07, True)
equal(sum(g["objects"] for g in p["groups"] if g.get("line") == 29), 1000)
END
"$memprof" advise a.memprof.json >text
"$memprof" show a.memprof.json >text
expect text 'mode sample'
compile_use -Wall -Werror a.c -o u
run ./u
cmp out wanted || fail "the rebuilt program differs"
# At most so many bursts; off costs and says nothing.
rm a.memprof.json
run -o period=20000:burst=1000:bursts=3 ./a
expect_json a.memprof.json <<'END'
equal(p["run"]["bursts"], 3)
END
# No more of them when they change little. All bursts are 40 MB of records, and the
# program is never further ahead of the backend than a ring is long, 8 MB.
rm a.memprof.json
run -o period=1000:burst=1000:converge=40 ./a
cmp out wanted || fail "the output differs"
validate a.memprof.json
cp a.memprof.json converged.json
rm a.memprof.json
run -o period=1000:burst=1000 ./a
expect_json a.memprof.json <<'END'
import json
early = json.load(open("converged.json"))
equal(4 <= early["run"]["bursts"] < p["run"]["bursts"] / 2, True)
equal(early["run"]["complete"], True)
equal(abs(early["run"]["accesses"] / p["run"]["accesses"] - 1) < 0.25, True)
END
rm a.memprof.json
# Records look for room out of line, in the function's cold part.
compile_gen -fprofile-mem-mode=sample -S a.c -o a.s
case $target in
  x86_64-*) expect a.s 'chase\.cold:'
          expect a.s 'call.__mprt_record_preserving'
          expect a.s 'call.__mprt_written_preserving'
          expect_not a.s '\.subsection' ;;
esac
run -o off=1 ./a
cmp out wanted || fail "the output differs when off"
