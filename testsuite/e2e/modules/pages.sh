# pages.sh - the pages module: which sites walk page tables; huge pages; growth over threads.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
on_hardware "the pages are those of the emulator"

cat >a.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
enum { N = 1 << 22 };
int *big, *small;
static void *
work (void *seed)
{
  unsigned x = *(unsigned *) seed;
  for (int i = 0; i < 600000; i++)
    {
      x = x * 1664525 + 1013904223;
      big[x >> 10] += small[x >> 22];
    }
  return 0;
}
int
main (int argc, char **argv)
{
  int threads = atoi (argv[1]);
  unsigned seeds[4] = { 1, 2, 3, 4 };
  pthread_t ids[4];
  big = aligned_alloc (2 << 20, N * sizeof *big);
  if (argc > 2)
    madvise (big, N * sizeof *big, MADV_HUGEPAGE);
  memset (big, 0, N * sizeof *big);
  small = calloc (1024, sizeof *small);
  for (int i = 1; i < threads; i++)
    pthread_create (&ids[i], 0, work, &seeds[i]);
  work (seeds);
  for (int i = 1; i < threads; i++)
    pthread_join (ids[i], 0);
  return big[5] != 0;
}
END
compile_gen -O1 -fprofile-mem-modules=pages a.c -pthread -o a
# profile FILE ARGUMENT...
profile ()
{
  file=$1; shift
  MPRT_OPTIONS=output=$file:pages=nehalem,sample=4,window=2 ./a "$@" || fail "./a $*"
  run "$memprof" validate "$file"
}
profile one.json 1
expect_json one.json <<'END'
group = {g["id"]: g["line"] for g in p["groups"]}
rows = {(group[r["group"]], r.get("object", 0)): r for r in p["pages"] if "group" in r}
big, small = rows[24, 1], rows.get((28, 1), {})
equal(big["source"], "model")
# 16 MB at random and 512 pages in the TLB: seven in eight reads walk, no write does.
check(abs(big["walks"] / 600000 - 0.875) < 0.04, big)
check(big["walks"] <= big["walk_refs"] <= 1.02 * big["walks"], big)
check(small.get("walks", 0) < big["walks"] / 100, small)
check(p["run"]["pages"].startswith("sizes=smaps,L1TLB=64/4"), p["run"])
END
run "$memprof" show --pages one.json
expect out '^Walks of page tables and requests to memory \([0-9]+\); estimates for sizes=smaps'
expect out '(9[0-9]|100)\.[0-9] %.* number 1 .*a\.c:24'
profile two.json 2
run "$memprof" show --pages one.json two.json
expect out '^Growth over threads'
expect out '^ *2 .* (1\.9|2\.0)[0-9] '
run "$memprof" show one.json two.json
expect out '^a: .* in 2 runs'
grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled || {
  profile huge.json 1 huge
  "$PYTHON" - <<'END' || fail "huge pages do not lower the walks by 90 %"
import json
before, after = (sum(r.get("walks", 0) for r in json.load(open(f))["pages"])
                 for f in ("one.json", "huge.json"))
assert after < before / 10, (before, after)
END
  passed
}
run env MPRT_OPTIONS=merge=0:pages=L1TLB=12x ./a 1
expect err 'pages=L1TLB=12x makes no sense'

# Which object asks memory when: the first half of this run reads one array, the second half the other.
cat >b.c <<'END'
#include <stdlib.h>
enum { N = 1 << 20 };
long *first, *second;
static __attribute__ ((noinline)) long
gather (long *a, unsigned x)
{
  long sum = 0;
  for (int i = 0; i < 2000000; i++)
    sum += a[(x = x * 1664525 + 1013904223) >> 12];
  return sum;
}
int
main (void)
{
  first = calloc (N, sizeof *first);
  second = calloc (N, sizeof *second);
  return gather (first, 1) + gather (second, 2) != 0;
}
END
for mode in full sample; do
  compile -specs="$specs" -O1 -g -fprofile-mem-generate -fprofile-mem-mode=$mode -fprofile-mem-modules=pages b.c -o b
  MPRT_OPTIONS=output=b.$mode.json:pages=nehalem:period=20000 run ./b
  expect_json b.$mode.json <<'END'
line = {g["id"]: g["line"] for g in p["groups"]}
rows = {line[r["group"]]: r["requests"] for r in p["page_phases"] if "group" in r}
for array, half in ((15, slice(0, 32)), (16, slice(32, 64))):
    check(sum(rows[array][half]) > 0.9 * sum(rows[array]) > 0, (array, rows))
END
  run "$memprof" show --phases --top=4 b.$mode.json
  expect out '^ *0\.0 %  .* calloc at b.c:15'
  expect out '^ *75\.0 %  .* calloc at b.c:16'
done
