#!/bin/sh
# recursive-alloc.sh - objects of recursive allocators, and of a list that is
# rebuilt again and again (MEMPROF_LONG: a tree of depth 22, a million times).
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

depth=12 rounds=2000
[ -z "${MEMPROF_LONG:-}" ] || depth=22 rounds=1000000
cat >a.c <<'END'
#include <stdlib.h>
struct node { struct node *left, *right; };
struct item { struct item *next; long value; };
static struct node *
grow (int depth)
{
  struct node *n = malloc (sizeof *n);
  n->left = depth > 1 ? grow (depth - 1) : 0;
  n->right = depth > 1 ? grow (depth - 1) : 0;
  return n;
}
static long
count (struct node *n)
{
  return n ? 1 + count (n->left) + count (n->right) : 0;
}
static long
rebuild (long seed)
{
  struct item *list = 0;
  for (int i = 0; i < 3; i++)
    {
      struct item *p = malloc (sizeof *p);
      p->next = list;
      p->value = seed;
      list = p;
    }
  long sum = 0;
  while (list)
    {
      struct item *p = list;
      sum += p->value;
      list = p->next;
      free (p);
    }
  return sum;
}
int
main (int argc, char **argv)
{
  int depth = atoi (argv[1]);
  long rounds = atol (argv[2]), sum = 0;
  long nodes = count (grow (depth));
  for (long i = 0; i < rounds; i++)
    sum += rebuild (1);
  return nodes == (1L << depth) - 1 && sum == 3 * rounds ? 0 : 1;
}
END
compile_gen -O0 a.c -o a
run ./a $depth $rounds
validate a.memprof.json
expect_json a.memprof.json "nodes, rounds = (1 << $depth) - 1, $rounds
tree, items = group(line=7, kind='heap'), group(line=23, kind='heap')
equal((tree['objects'], tree['bytes']), (nodes, 16 * nodes))
equal((tree['accesses'], tree['span']), (4 * nodes, 16 * nodes))
equal((items['objects'], items['bytes']), (3 * rounds, 48 * rounds))
equal((items['accesses'], items['span']), (12 * rounds, 48))
equal(dep(site(line=8, kind='store'), site(line=15, expression='n->left'))['count'], nodes)
equal(dep(site(line=25), site(line=32))['count'], 3 * rounds)
equal(deps(site(line=25), site(line=33)), [])"
