#!/bin/sh
# modules/never-met.sh - mdf says which loads and stores of a loop it compared and never saw to
# meet, with a bound; a pair without a row is unknown. Of two runs only what both say stays.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
struct node { long key, sum; };
int
main (int argc, char **argv)
{
  (void) argv;
  enum { N = 2000 };
  struct node *all = malloc (N * sizeof *all);
  unsigned *order = malloc (N * sizeof *order);
  for (int i = 0; i < N; i++)
    order[i] = i * 7919u % N, all[i].key = i;
  long s = 0;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < N; i++)
      {
        struct node *n = &all[order[i]];
        s += n->key;
        *(argc > 1 ? &n->key : &n->sum) = i;
      }
  return s == 0;
}
END
rows='
load, = [s for s in sites(line=17, kind="load") if s["expression"].endswith("key")]
store, = sites(line=18, kind="store")
never = [r["hi"] for r in p["never_met"] if load["id"] in r["sinks"] and store["id"] in r["sources"]]
met = [r for r in p["mdf"] if r["sink"] == load["id"] and r["source"] == store["id"]]
'
compile_gen -O1 -fprofile-mem-modules=mdf a.c -o a
run ./a
"$memprof" validate a.memprof.json
# Both streams close after some 30 descriptors; the fields of nodes are apart all the same.
expect_json a.memprof.json "$rows
equal((never, met), ([0], []))"
run "$memprof" show --never-met a.memprof.json
expect out '^ +[0-9]+ +never +a\.c:14 '
# Another run in which they meet, in two of three executions. The streams close before the load comes
# back; that the store fills the load's range by then is known from their summaries.
run ./a x
"$memprof" validate a.memprof.json
expect_json a.memprof.json "$rows
equal(never, [])
equal((len(met), met[0]['lo']), (1, 0))
assert 0.25 < met[0]['est'] < 0.5, met  # of both runs
"
