# use/linked.sh - nodes visited in the order of their allocation are prefetched
# by address, in a loop and in a recursion; nodes in random order are not.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *left, *right; long value, pad[2]; };
static struct node *make (int depth)
{
  struct node *t = malloc (sizeof *t);
  t->value = depth;
  t->left = depth > 1 ? make (depth - 1) : NULL;
  t->right = depth > 1 ? make (depth - 1) : NULL;
  return t;
}
__attribute__ ((noinline)) static long walk (struct node *t)
{
  return t ? t->value + walk (t->left) + walk (t->right) : 0;
}
__attribute__ ((noinline)) static long list (struct node *t)
{
  long sum = 0;
  for (; t; t = t->right) sum += t->value;
  return sum;
}
int main (int argc, char **argv)
{
  enum { N = 1 << 17 };
  long sum = walk (make (17));
  struct node **all = malloc (N * sizeof *all), *head = NULL;
  for (int i = 0; i < N; i++) all[i] = malloc (sizeof **all);
  for (int i = 0; i < N; i++)
    {
      struct node *n = all[argc > 1 ? i * 40503L % N : i];
      n->value = i;
      n->right = head;
      head = n;
    }
  printf ("%ld\n", sum + list (head));
  return 0;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a
compile_use -fchecking a.c -o use -fopt-info-loop-all=in-order
expect in-order 'a.c:14:.* optimized: .*linked prefetch [0-9]+ nodes of 48 bytes ahead'
expect in-order 'a.c:19:.* optimized: .*linked prefetch [0-9]+ nodes of -48 bytes ahead'
same_output ./plain ./use
rm a.memprof.json
run ./a random
compile_use -fchecking a.c -o use -fopt-info-loop-all=at-random
expect at-random 'a.c:19:.* missed: .*the most frequent step between nodes'
expect_not at-random 'a.c:19:.* optimized: .*memprof'
same_output ./plain ./use random
