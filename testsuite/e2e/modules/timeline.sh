# timeline.sh - what a program did when: accesses, misses, live memory and threads, in each mode.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static unsigned long next (unsigned long x) { return x * 6364136223846793005 + 1442695040888963407; }
static void *
jump (void *arg)
{
  unsigned long x = 1;
  long *big = arg, sum = 0;
  for (int i = 0; i < 200000; i++)
    x = next (x), sum += big[x >> 44];
  return (void *) sum;
}
int
main (int argc, char **argv)
{
  /* 8 MB, all over the place, then 8 kB for the same time. */
  long *big = calloc (1 << 20, sizeof *big), *small = calloc (1000, sizeof *small), sum = (long) jump (big);
  free (big);
  for (int k = 0; k < 200; k++)
    for (int i = 0; i < 1000; i++)
      sum += small[i], small[(i * 7 + k) % 1000] = sum;
  if (argc > 1)
    {
      pthread_t t;
      pthread_create (&t, NULL, jump, calloc (1 << 20, sizeof *big));
      pthread_join (t, NULL);
    }
  return sum == 42;
}
END
compile_gen -fprofile-mem-mode=full a.c -o a -lpthread
run -o cache=sample=1,window=1,L1=4K/8,L2=16K/8,LLC=64K/8 ./a
cp a.memprof.json full.json
expect_json full.json <<'END'
rows = p["timeline"]
equal(len(rows), 1)
row = rows[0]
equal(sum(row["accesses"]), p["run"]["accesses"])
equal(sum(row["misses"]), sum(c.get("llc", 0) for c in p["cache"]))
early, late = row["misses"][:15], row["misses"][-15:]
equal(sum(early) > 100 * max(sum(late), 1), True)
equal((min(row["live"][1:15]) > 8 << 20, max(row["live"][-15:]) < 1 << 20), (True, True))
END
run "$memprof" show --timeline full.json
expect out '^Timeline: 8 slices of equal length, in accesses$'
expect out '^ +0\.0 % .*#+ .* 8 MiB$'
[ "$(grep -c ' % ' out)" = 8 ] || fail "not 8 slices: $(cat out)"
run "$memprof" show --timeline --top=0 --json full.json
"$PYTHON" -c 'import json, sys; assert len(json.load(sys.stdin)["timeline"]) == 64' <out || fail "not 64 slices"

rm a.memprof.json
run -o cache=sample=1,window=1,L1=4K/8,L2=16K/8,LLC=64K/8 ./a threads
expect_json a.memprof.json <<'END'
all_, first, second = p["timeline"]
equal((first["thread"], second["thread"]), (1, 2))
equal(sum(second["accesses"][:30]), 0)
equal(sum(second["accesses"]) > 190000, True)
END
run "$memprof" show --timeline --top=4 a.memprof.json
expect out '2: [0-9.]+ %$'

# Sampled: the same picture, by iterations; and objects alone have their births.
compile_gen -fprofile-mem-mode=sample a.c -o a -lpthread
rm a.memprof.json
run -o period=5000 ./a
expect_json a.memprof.json <<'END'
row = p["timeline"][0]
equal(abs(sum(row["accesses"]) - p["run"]["accesses"]) <= 64, True)
equal((max(row["live"][:8]) > 8 << 20, max(row["live"][-8:]) < 1 << 20), (True, True))
END
compile_gen -fprofile-mem-mode=objects a.c -o a -lpthread
rm a.memprof.json
run ./a
expect_json a.memprof.json 'equal(max(p["timeline"][0]["live"]) > 8 << 20, True)'
