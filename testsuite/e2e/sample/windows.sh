# sample/windows.sh - windows see reuse: what a chase of 8 MB misses, and nothing if there are none.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
enum { N = 1 << 17 };
struct node { struct node *next; char rest[56]; };
int
main (void)
{
  struct node *nodes = malloc (N * sizeof *nodes), *p = nodes;
  for (unsigned i = 0; i < N; i++)
    nodes[i].next = &nodes[(i * 40503u + 1) % N];
  for (unsigned i = 0; i < 60 * N; i++)
    p = p->next;
  printf ("%d\n", p == nodes);
  return 0;
}
END
compile_plain a.c -o plain
for modules in "" -fprofile-mem-modules=cache; do
  rm -f a.memprof.json
  compile_gen -fprofile-mem-mode=sample $modules a.c -o a
  MPRT_OPTIONS=cache=L1=32K/8,L2=256K/8,LLC=64M/16,TLB=1536/12 same_output ./plain ./a
  validate a.memprof.json
  expect_json a.memprof.json <<'PY'
l2 = sum(r.get("l2", 0) for r in p["cache"])
llc = sum(r.get("llc", 0) for r in p["cache"])
equal(p["run"]["windows"] > 0 and 4000000 < l2 < 12000000 and llc < l2 / 10, True)
PY
done
MPRT_OPTIONS=merge=0:windows=0 run ./a
expect_json a.memprof.json <<'PY'
equal((p["run"].get("windows", 0), p["reuse"]), (0, []))
PY
MPRT_OPTIONS=merge=0 run ./a
run "$memprof" show --curves --where='p->next' a.memprof.json
expect out 'p->next +malloc'
run "$memprof" show --curves --where=elsewhere a.memprof.json
expect out 'none'
# Of a loop, no more digits than are known; two runs of the same have no change.
run "$memprof" show --loops a.memprof.json
expect out '(\+-|at most) *[0-9]'
mv a.memprof.json first.json
run ./a
run "$memprof" diff --changes first.json a.memprof.json
expect out 'by no more than the error of sampling'
if grep -E '^ *[+-][0-9]' out; then fail "changes between equal runs"; fi
