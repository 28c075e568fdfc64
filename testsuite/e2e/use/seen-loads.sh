# use/seen-loads.sh - rows of a graph in the order of a queue that the loop itself fills: the
# first edge of a later row is prefetched through a load from among the places that the loop
# has loaded from; not where the object may be gone, nor where places are bytes from a base, as
# in a heap of the program's own, which may have holes.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { N = 1 << 17, D = 8, PAGE = 4096 };
void (*other) (void *);
__attribute__ ((noipa)) static long
visit (long *first, long *adj, long *queue, char *seen, int quiet)
{
  long to = 1;
  for (long k = 0; k < to; k++)
    {
      const long v = queue[k];
      for (long e = FIRST; e < FIRST + D; e++)
        if (!seen[adj[e]])
          {
            seen[adj[e]] = 1;
            queue[to++] = adj[e];
          }
      if (!quiet) QUIET;
    }
  return to;
}
int main (void)
{
  // The memory ends after the table, and what is in the queue's free places is garbage.
  size_t size = N * sizeof (long);
  char *memory = mmap (NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect (memory + size, PAGE, PROT_NONE);
  long *first = (long *) memory, *adj = malloc (N * D * sizeof *adj), *queue = malloc (size), m = 0;
  unsigned x = 1;
  for (long i = 0; i < N; i++) queue[i] = N + (i << 20);
  for (long i = 0; i < N; i++) first[i] = (i * 40503 + 7) % N * D;
  for (long i = 0; i < N * D; i++) adj[i] = (x = x * 1664525 + 1013904223) >> 15;
  for (int round = 0; round < 3; round++)
    {
      queue[0] = round;
      m = m * 31 + visit (first, adj, queue, calloc (N, 1), 1);
    }
  printf ("%ld\n", m);
  return 0;
}
END
element='first[v]' byte='*(long *) ((char *) first + ((v << 3 ^ 8) & 0xffff8))'
for way in 'optimized: .*adj\[.*: indirect prefetch;(void) 0;'"$element" \
  'missed: .*adj\[.*two loads;other (first);'"$element" 'missed: .*adj\[.*two loads;(void) 0;'"$byte"; do
  rest=${way#*;}
  set -- "-DQUIET=${rest%%;*}" "-DFIRST=${rest#*;}"
  compile_plain "$@" a.c -o plain
  compile_gen "$@" a.c -o a
  rm -f a.memprof.json
  run ./a
  compile_use "$@" -fchecking a.c -o use -fopt-info-loop-all=remarks
  expect remarks "a.c:14:.*${way%%;*}"
  same_output ./plain ./use
done
