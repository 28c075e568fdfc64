# sample/first.sh - sample mode knows what a function has stored that runs once, late: the
# first entries of each function are looked at, and nothing is counted there.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct state { long scale, used[64]; } *state;
__attribute__ ((noinline)) void
set_up (long scale)
{
  state->scale = scale + (getpid () < 0);
  for (int i = 0; i < 64; i++)
    state->used[i] = i * scale;
}
__attribute__ ((noinline)) unsigned long
walk (long n)
{
  unsigned long sum = 1;
  for (long i = 0; i < n; i++)
    sum = sum * 5 + state->scale + state->used[sum >> 58];
  return sum;
}
int
main (void)
{
  state = calloc (1, sizeof *state);
  unsigned long sum = walk (20000000);
  set_up (3);
  printf ("%lu\n", sum + walk (20000000));
  return 0;
}
END
full_and_sample a.c
for options in "" period=20000; do
  run -o "$options" ./a
  cmp out wanted || fail "the output differs"
  validate a.memprof.json
  python3 - >said <<'END'
import json
p = json.load(open("a.memprof.json"))
name = {s["id"]: (f["name"], s["kind"], s["executions"]) for m in p["modules"]
        for f in m["functions"] for s in f.get("sites", [])}
met = [name[r["source"]][0] for r in p["inferred_dependences"] if name[r["sink"]][0] == "walk"]
if met.count("set_up") < 2:
    print("walk reads", met)
most = max(n for f, kind, n in name.values() if f == "walk")
if not 3e7 < most < 5e7:
    print("walk has loaded", most)
END
  [ ! -s said ] || fail "$options: $(cat said)"
  rm a.memprof.json
done
