# use/heap-aligned.sh - small objects with an alignment get huge pages for malloc's heap, and
# keep their alignment.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
on_hardware "the heap cannot grow far"
export MPRT_OPTIONS=cache=TLB=1536/12 # decisions do not depend on this machine

grep -q '\[madvise\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages by madvise"
cat >a.c <<'END'
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct edge { struct edge *next; long value[15]; };
static void *place (void) { void *p; return posix_memalign (&p, 128, sizeof (struct edge)) ? 0 : p; }
int main (int argc, char **argv)
{
  long n = atol (argv[1]), sum = 0;
  struct edge *list = NULL;
  for (long i = 0; i < n; i++)
    {
      struct edge *new = CALL;
      new->value[0] = i + (uintptr_t) new % 128, new->next = list, list = new;
    }
  for (struct edge *p = list; p; p = p->next)
    sum += p->value[0];
  printf ("%ld\n", sum);
  return 0;
}
END
for call in 'memalign (128, sizeof *new)' 'aligned_alloc (128, sizeof *new)' 'place ()'; do
  compile_plain "-DCALL=$call" a.c -o plain
  rm -f a.memprof.json info
  compile_gen "-DCALL=$call" a.c -o a
  run ./a 20000
  compile_use -fchecking "-DCALL=$call" a.c -o use -fopt-info-all=info
  expect info "a.c:.* optimized: memprof: .*: huge pages for malloc's heap: 20000 objects of 128 bytes in "
  same_output ./plain ./use 300000
  MPRT_ARENA=report run ./use 300000
  expect err '^memprof arena: 0 sites, .* [4-9][0-9] MB of the heap advised$'
done
