# targets.sh - points_to alone needs few events, and its rows are the same.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$MEMPROF_BUILDDIR/memprof-backend
[ -x "$backend" ] || skip "memprof-backend is not in the build folder"

cat >a.c <<'END'
#include <stdlib.h>
struct pair { int a, b; };
int total, seen[64];
extern int elsewhere;
/* Counted: `seen' and p[i] by the loop, the list is not: each node is one object.  */
__attribute__ ((noipa)) void
count (struct pair *p, int n)
{
  for (int i = 0; i < n; i++)
    if (p[i].a & 1)
      seen[p[i].b & 63]++;
}
/* One event: `total' and p->b go with p->a.  */
__attribute__ ((noipa)) void add (struct pair *p) { total += p->a; p->b = total; elsewhere++; }
int
main (void)
{
  struct pair *p = calloc (100, sizeof *p);
  struct pair *q = calloc (1, sizeof *q);
  for (int i = 0; i < 50; i++)
    add (i & 1 ? q : p + i);
  count (p, 100);
  count (p, 0);
  p[0].a = 1;
  count (p, 100);
  return q->b != 0;
}
END
echo 'int elsewhere;' >b.c
rows () # MODULES: the rows of points_to and the accesses of groups, without ids
{
  compile_gen "-fprofile-mem-modules=$1" a.c b.c -o a
  run -o file=s ./a
  "$backend" --counts s | sed -n 2p >"counts.$1"
  run ./a
  "$PYTHON" - <<'END' >"rows.$1"
import json
p = json.load(open("a.memprof.json"))
group = {g["id"]: (g["kind"], g.get("function"), g.get("line")) for g in p["groups"]}
for m in p["modules"]:
    for f in m["functions"]:
        for s in f.get("sites", []):
            print(f["name"], s["ordinal"], s["executions"],
                  [[(group[g], n) for g, n in r["groups"]] for r in p["points_to"]
                   if r["site"] == s["id"]])
for g in p["groups"]:
    print(group[g["id"]], g.get("accesses", 0))
END
  rm a.memprof.json
}
rows stride,points_to
rows points_to
expect rows.points_to "^add 0 50 .*18), 25.*19), 25"
cmp rows.stride,points_to rows.points_to || fail "the rows differ"
# add: p->a; count: two tallies of at most four entries; main: p[0].a, q->b.
expect counts.points_to '^[56][0-9] events: '
expect counts.stride,points_to '^[4-6][0-9][0-9] events: '
passed
