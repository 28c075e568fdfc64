# cache-misses.sh - the cache module: misses of a random walk, none of a hot field.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'EOF'
#include <stdlib.h>
enum { N = 1 << 20 };
int hot;
int
main (void)
{
  int *big = calloc (N, sizeof *big);
  unsigned x = 1;
  for (int i = 0; i < 2000000; i++)
    {
      x = x * 1664525 + 1013904223;
      big[x >> 12] += 1;
      hot += i;
    }
  return big[5] < 0;
}
EOF
compile_gen -O1 a.c -o a
run env MPRT_OPTIONS=cache=L1=32K/8,L2=256K/8,LLC=64M/16,TLB=64/4 ./a
expect_json a.memprof.json <<'END'
rows = {r["site"]: r for r in p["cache"]}
s = site(line=12, kind="load")
r = rows[s["id"]]
near = lambda miss, share, by: check(abs(r.get(miss, 0) / s["executions"] - share) < by, (miss, r))
# 4 MB at random: 1/128 is in the first level, 1/16 in the second and in the TLB.
near("l1", 0.99, 0.02)
near("l2", 0.94, 0.03)
near("llc", 0.15, 0.15)
near("tlb", 0.94, 0.03)
equal(p["groups"][r["group"]]["function"], "main")
# The store finds what the load brought.
equal(rows[site(line=12, kind="store")["id"]].get("l1", 0), 0)
check(p["run"]["caches"].startswith("L1=32K/8,L2=256K/8,LLC=64M/16"), p["run"])
END
run "$memprof" show --misses a.memprof.json
expect out '^Cache misses \([0-9]+\); estimates for L1=32K/8'
expect out 'a\.c:12:'
run "$memprof" validate a.memprof.json
run env MPRT_OPTIONS=merge=0:cache=L1=12x ./a
expect err 'cache=L1=12x makes no sense'
