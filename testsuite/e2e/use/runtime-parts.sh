# runtime-parts.sh - a rebuilt program has the parts of the runtime that its decisions need, no others.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=TLB=1536/12 # decisions do not depend on this machine

# NODES small objects, visited in order or at random, and a table of LONGS, at random.
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main (int argc, char **argv)
{
  long nodes = atol (argv[1]), longs = atol (argv[2]), random = atol (argv[3]), sum = 0;
  unsigned x = argc;
  long **all = malloc (nodes * sizeof *all), *table = calloc (longs, sizeof *table);
  for (long i = 0; i < nodes; i++)
    all[i] = calloc (26, sizeof (long)), *all[i] = i;
  for (long i = 0; i < 8 * nodes; i++)
    sum += *all[random ? (x = x * 1664525 + 1013904223) % nodes : i % nodes];
  for (long i = 0; i < 400000 && longs > 1000; i++)
    sum += table[(x = x * 1664525 + 1013904223) % longs]++;
  printf ("%ld\n", sum);
  return 0;
}
END
compile_plain a.c -o plain
text () { size "$1" | awk 'NR == 2 { print $1 }'; }
rebuild () # NODES LONGS RANDOM
{
  rm -f a.memprof.json
  compile_gen a.c -o a
  run ./a "$@"
  compile_use a.c -o use
  same_output ./plain ./use "$@"
  nm use | sed -n 's/.* [BD] __mprt_\(.*\)_wanted$/\1/p' | sort >wanted
  grown=$(($(text use) - $(text plain)))
}
rebuild 100 100 0
expect_equal "small" "$(cat wanted)" ""
rebuild 40000 100 0
expect_equal "the heap" "$(cat wanted)" "arena
heap"
[ "$grown" -lt 8192 ] || fail "the heap: $grown bytes more"
rebuild 100 4000000 0
expect_equal "a large block" "$(cat wanted)" "arena"
[ "$grown" -lt 8192 ] || fail "a large block: $grown bytes more"
rebuild 40000 100 1
expect wanted '^slabs$'
passed
