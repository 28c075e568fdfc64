# sample/decisions.sh - a sampled profile leads to the decisions of an exact one: counts of
# fields are extrapolated as those of sites are, and loops that only report samples have
# invocations and iterations.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
enum { N = 60000, M = 2000000 };
struct order { long key; char memo[120]; long amount; char more[112]; long flags; };
struct image { unsigned char *to; int n; unsigned char key; };
__attribute__ ((noinline)) static long
look_up (struct order *o, unsigned x, int times)
{
  long sum = 0;
  for (int i = 0; i < times; i++)
    {
      x = x * 1664525 + 1013904223;
      struct order *p = &o[(x >> 8) % N];
      sum += p->key + p->amount * p->flags;
    }
  return sum;
}
__attribute__ ((noinline)) static void
mask (struct image *m, const unsigned char *from)
{
  for (int i = 0; i < m->n; i++)
    m->to[i] = from[i] ^ m->key;
}
int
main (void)
{
  struct order *o = malloc (N * sizeof *o);
  for (int i = 0; i < N; i++)
    o[i].key = i, o[i].amount = i % 7, o[i].flags = i & 1;
  unsigned char *from = malloc (M), *to = malloc (M);
  for (int i = 0; i < M; i++)
    from[i] = i, to[i] = 0;
  struct image m = { to, M, 7 };
  long sum = look_up (o, 1, 4000000);
  for (int i = 0; i < 4; i++)
    mask (&m, from);
  printf ("%ld %d\n", sum, to[M / 2]);
  return 0;
}
END
compile_plain a.c -o plain
for mode in full sample; do
  compile_gen -fprofile-mem-mode=$mode a.c -o gen
  MPRT_OPTIONS=output=$mode.memprof.json run ./gen
  validate $mode.memprof.json
  rm -f $mode.remarks
  compile -specs="$specs" -O2 -g -fprofile-mem-use=$mode.memprof.json -fprofile-mem-move-fields \
    -fprofile-mem-remarks=$mode.remarks a.c -o $mode
  same_output ./plain ./$mode
  sed -n 's/.*"line":\([0-9]*\),.*"kind":"\(field-order\|versioning\)","taken":\([a-z]*\),"reason":"\([a-z-]*\)".*/\1 \2 \3 \4/p' \
    $mode.remarks | sort -u >$mode.decisions
done
expect full.decisions '^4 field-order true'
expect full.decisions 'versioning true'
cmp full.decisions sample.decisions || fail "$(diff full.decisions sample.decisions)"
