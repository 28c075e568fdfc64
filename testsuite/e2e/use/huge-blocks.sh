# use/huge-blocks.sh - of the large blocks that one call makes, those get huge pages
# whose misses repay the first touch: the table, not the lists that are read in
# order; also when there are more blocks than in the profile.  Malloc's heap gets none, because
# these are less than 1 % of it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=TLB=1536/12 # decisions do not depend on this machine

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
cat >a.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__ ((noinline)) static void *allocate (size_t count, size_t size)
{
  void *p = CALL;
  if (!p) exit (2);
  return p;
}
static uint32_t next (void)
{
  static uint64_t x = 88172645463325252u;
  x ^= x << 13; x ^= x >> 7; x ^= x << 17;
  return x >> 32;
}
int main (int argc, char **argv)
{
  enum { N = 1 << 21, M = 1 << 22 };
  uint32_t *index = allocate (N, sizeof *index), *weight = allocate (N, sizeof *weight);
  uint32_t *table = allocate (M, sizeof *table), sum = 0;
  volatile char *rest = malloc ((size_t) 4 << 30);
  if (rest) *rest = 0;
  for (int i = 0; i < N; i++) index[i] = next () % M, weight[i] = i;
  for (int i = 0; i < M; i++) table[i] = 3;
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < N; i++) sum += table[index[i]] ^ weight[i];
  for (int i = 1; i < argc; i++) sum += *(uint32_t *) allocate (M, sizeof *table);
  printf ("%u\n", sum);
  return 0;
}
END
tried () # CALL OPTION...
{
  call=$1 ; shift
  compile_plain -DCALL="$call" a.c -o plain
  rm -f a.memprof.json info
  compile_gen "$@" -DCALL="$call" a.c -o a
  run ./a
  run "$memprof" advise a.memprof.json
  expect out 'site arena with huge pages: 3 objects of 1118481[01] bytes, span 33.6 MB, .* first touch of 8 huge pages 0.8; only for number 3 of them$'
  compile_use "$@" -DCALL="$call" a.c -o use -fopt-info-all=info
  expect info 'a.c:6:.* optimized: memprof: .*; only for number 3 of them'
  same_output ./plain ./use
  # 8 MB, 8 MB, 16 MB; the two more have no bit.
  MPRT_ARENA=report run ./use
  expect err '^memprof arena: .* 1[56] MB of large blocks advised$'
  MPRT_ARENA=report run ./use more more
  expect err '^memprof arena: .* 1[56] MB of large blocks advised$'
}
tried 'calloc (count, size)' -O1
tried 'calloc (count, size)' -O2 -flto
tried 'aligned_alloc (64, count * size)' -O2
# A list alone: no page is waited for, but huge ones spare page faults.
cat >b.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main (void)
{
  enum { N = 1 << 23 };
  int *list = calloc (N, sizeof *list), sum = 0;
  for (int round = 0; round < 9; round++)
    for (int i = 0; i < N; i++) sum += list[i] += i;
  printf ("%d\n", sum);
  return 0;
}
END
rm a.memprof.json
compile_plain b.c -o plain
compile_gen b.c -o b
run ./b
rm -f info
compile_use b.c -o use -fopt-info-all=info
expect info "b.c:6:.* optimized: memprof: calloc: huge pages for malloc's heap: 1 objects of 33554432 bytes .*, 819[23] page faults"
same_output ./plain ./use
MPRT_ARENA=report run ./use
expect err '^memprof arena: .* 3[12] MB of large blocks advised$'
