# use/huge-pages.sh - allocation calls whose objects miss the TLB get an arena with
# huge pages, small objects and large ones; others do not; remarks say why.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
on_hardware "it does not pass on requests for huge pages"
export MPRT_OPTIONS=cache=TLB=1536/12 # decisions do not depend on this machine

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
cat >a.c <<'END2'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; long value, pad[14]; };
static unsigned random_number (void)
{
  static unsigned x = 1;
  return x = x * 1664525 + 1013904223, x >> 8;
}
int main (int argc, char **argv)
{
  enum { N = 80000, M = 1 << 22 };
  struct node **all = malloc (N * sizeof *all);
  int *table = calloc (M, sizeof *table);
  for (int i = 0; i < N; i++)
    {
      all[i] = malloc (sizeof (struct node));
      all[i]->value = i;
    }
  long sum = 0;
  for (int i = 0; i < 4 * N; i++)
    {
      sum += all[random_number () % N]->value;
      sum += table[random_number () % M]++;
    }
  if (argc > 1)
    {
      char line[256];
      long huge = 0, kb;
      FILE *f = fopen ("/proc/self/smaps", "r");
      while (fgets (line, sizeof line, f))
	if (sscanf (line, "AnonHugePages: %ld kB", &kb) == 1)
	  huge += kb;
      fprintf (stderr, "huge %ld\n", huge / 1024);
    }
  for (int i = 0; i < N; i++)
    free (all[i]);
  free (table);
  printf ("%ld\n", sum);
  return 0;
}
END2
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a
for level in -O1 -O2 -O3 '-O2 -flto'; do
  # shellcheck disable=SC2086
  compile_gen $level a.c -o a
  rm -f a.memprof.json
  run ./a
  rm -f info
  # shellcheck disable=SC2086
  compile_use $level -Wall -fchecking a.c -o use -fopt-info-all=info
  expect info 'a.c:17:.* optimized: memprof: malloc: site arena with huge pages: 80000 objects of 128 bytes, span 10.2 MB'
  expect info 'a.c:14:.* optimized: memprof: calloc: site arena with huge pages: 1 objects of 16777216 bytes'
  expect info 'a.c:13:.* missed: memprof: malloc: no huge pages: span 0.6 MB is less than [0-9.]+ MB, which the TLB reaches'
  same_output ./plain ./use
  MPRT_ARENA=report run ./use smaps
  expect err '^memprof arena: 1 sites, [0-9]+ slabs of 2 MB \(peak [5-9]\), 16 MB of large blocks advised$'
  expect err '^huge ([6-9]|1[0-9]|2[0-9])$'
done

refused () # LINE TEXT OPTION...
{
  want="a.c:$1:.* $2" ; shift 2
  rm -f info
  compile_use "$@" a.c -o use -fopt-info-all=info
  expect info "$want"
  same_output ./plain ./use
}
echo a.c:17 >veto
refused 17 'missed: memprof: malloc: no huge pages: vetoed by veto:1' -fprofile-mem-veto=veto
rm -f info
compile_use -fprofile-mem-use-no=huge-pages,prefetch a.c -o use -fopt-info-all=info
expect_not info 'memprof:.*\(prefetch\|huge pages\|arena\)'
# A program without arenas is as it would be without the library.
compile_use a.c -o arena
expect_equal "arenas" "$(nm arena | grep -c ' D __mprt_arena_wanted')" 1
expect_equal "no arenas" "$(nm use | grep -c 'mprt')" 0
# The source has another name in the rebuild.
compile_use "$PWD/a.c" -o use -fprofile-mem-remarks=remarks
expect remarks '"line":17,.*"kind":"huge-pages","taken":true'
