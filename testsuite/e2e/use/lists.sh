# use/lists.sh - of the chains of a hash table, the first node is prefetched, and the second one where first nodes
# are the elements of an array; not what a pointer to the first node points to, which may be garbage in a bucket that
# the loop does not come to, nor where the objects may be gone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
enum { N = 1 << 17, M = 1 << 16, PAGE = 4096 };
struct node { unsigned key, pad; struct node *next; long more[2]; };
void (*other) (void *);
__attribute__ ((noipa)) static long
probe (START *head, unsigned *key, int n, int quiet)
{
  long found = 0;
  for (int i = 0; i < n; i++)
    {
      struct node *p = FIRST;
      if (SOME)
        do found += p->key == key[i]; while ((p = p->next));
      if (!quiet) QUIET;
    }
  return found;
}
int main (void)
{
  // The memory ends after the table and after the keys; before that is garbage.
  size_t size = N * sizeof (START);
  char *memory = mmap (NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect (memory + size, PAGE, PROT_NONE);
  START *head = (START *) memory;
  memset (memory, -1, size);
  memset (memory, 0, N / 2 * sizeof (START));
  unsigned *key = malloc (M * sizeof *key), x = 1;
  for (int i = 0; i < M; i++) key[i] = (x = x * 1664525 + 1013904223) >> 16;
  for (int i = 0; i < N; i++)
    {
      struct node *p = malloc (sizeof *p);
      p->key = i;
      p->next = NEXT (head[i % (N / 2)]);
      NEXT (head[i % (N / 2)]) = p;
    }
  long found = 0;
  for (int round = 0; round < 3; round++) found += probe (head, key, M / 2, 1);
  printf ("%ld\n", found);
  return 0;
}
END
array='-DSTART=struct node;-DFIRST=&head[key[i]];-DSOME=1;-DNEXT(b)=(b).next'
pointers='-DSTART=struct node *;-DFIRST=head[key[i]];-DSOME=p;-DNEXT(b)=(b)'
try () # TABLE QUIET WANTED
{
  IFS=';'; set -- "$2" "$3" $1; unset IFS
  quiet=-DQUIET=$1 wanted=$2; shift 2
  compile_plain "$@" "$quiet" a.c -o plain
  compile_gen "$@" "$quiet" a.c -o a
  rm -f a.memprof.json remarks
  run ./a
  compile_use "$@" "$quiet" -fchecking a.c -o use -fopt-info-loop-all=remarks
  expect remarks 'a.c:16:.*p->key: indirect prefetch [0-9]+ iterations ahead: [0-9]'
  expect remarks "a.c:16:.*$wanted"
  same_output ./plain ./use
}
try "$array" '(void) 0' 'optimized: .*p->key: indirect prefetch [0-9]+ iterations ahead: the second node'
try "$array" 'other (head)' 'missed: .*p->key: no prefetch: first nodes are not known to be in one array'
try "$pointers" '(void) 0' 'missed: .*p->key: no prefetch: the second node is known by the first'
