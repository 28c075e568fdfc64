# use/choices.sh - addresses that take a choice between two values are looked ahead to, and so
# are the first nodes of lists; a choice between two loads is not, for it may load neither.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { N = 1 << 20, M = 1 << 17, PAGE = 4096 };
struct node { struct node *next; long key, pad[2]; };
__attribute__ ((noinline)) static void
toggle (long *table, long *b, int n)
{
  for (int i = 0; i < n; i++)
    {
      b[i] = (b[i] << 1) ^ (b[i] < 0 ? 7 : 0);
      table[b[i] & (N - 1)] ^= b[i];
    }
}
__attribute__ ((noinline)) static long
look_up (struct node *bucket, unsigned *keys, int n)
{
  long found = 0;
  for (int i = 0; i < n; i++)
    for (struct node *p = &bucket[keys[i] * 2654435761u >> 13]; p; p = p->next)
      found += p->key == keys[i];
  return found;
}
__attribute__ ((noinline)) static long
either (long *table, char *which, unsigned *b, unsigned *c, int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    {
      unsigned at = which[i] ? b[i] : c[i];
      if (table[at] & 1)
	sum += i;
    }
  return sum;
}
int main (void)
{
  long *table = calloc (N, sizeof *table), *b = malloc (M * sizeof *b);
  struct node *bucket = calloc (N / 2, sizeof *bucket), *all = calloc (M, sizeof *all);
  // The last byte of c is the last of its page.
  size_t size = M * sizeof (unsigned);
  char *memory = (char *) mmap (NULL, size + PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect (memory + size, PAGE, PROT_NONE);
  unsigned *c = (unsigned *) memory, *keys = malloc (M * sizeof *keys), x = 1;
  char *which = calloc (2 * M, 1);
  for (int i = 0; i < M; i++)
    {
      b[i] = (long) (x = x * 1664525 + 1013904223) << 32 | x * 40503u;
      keys[i] = c[i] = x >> 12;
      all[i].key = x >> 12;
      struct node *at = &bucket[keys[i] * 2654435761u >> 13];
      all[i].next = at->next;
      at->next = &all[i];
      which[M + i] = 1;
    }
  toggle (table, b, M);
  long sum = look_up (bucket, keys, M) + either (table, which, keys, c, M);
  // Here c ends before the loop does.
  sum += either (table, which + M, keys, c + M, M);
  for (int i = 0; i < N; i++)
    sum = sum * 31 + table[i];
  printf ("%ld\n", sum);
  return 0;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a
for level in -O1 -O2 -O3; do
  compile -specs="$specs" $level -g -fprofile-mem-use -fchecking \
    -fplugin="$(plugin_file)" -fplugin-arg-memprof-eager a.c -o use
  same_output ./plain ./use
done
rm -f remarks
compile_use -fchecking a.c -o use -fopt-info-all=remarks
same_output ./plain ./use
expect remarks 'a.c:12:.* optimized: .*indirect prefetch'
expect remarks 'a.c:21:.* optimized: .*indirect prefetch'
expect remarks 'a.c:31:.* missed: .*no prefetch: '
