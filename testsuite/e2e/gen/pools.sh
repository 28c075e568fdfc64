#!/bin/sh
# gen/pools.sh - what a named function carves out of a block are objects, and the block is
# their parent.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
struct node { long key; struct node *next; };
static char *block;
static size_t used;
__attribute__ ((noipa)) void *
pool_get (size_t bytes)
{
  if (!block)
    block = malloc (1 << 16);
  char *p = block + used;
  used += bytes;
  return p;
}
__attribute__ ((noipa)) void *
xmalloc (size_t bytes)
{
  return malloc (bytes);
}
int
main (void)
{
  struct node *list = 0;
  for (int round = 0; round < 2; round++)
    {
      used = 0;
      list = 0;
      for (long i = 0; i < 100; i++)
        {
          struct node *n = pool_get (sizeof *n);
          n->key = i;
          n->next = list;
          list = n;
        }
    }
  long sum = 0;
  for (struct node *n = list; n; n = n->next) sum += n->key;
  long *own = xmalloc (800);
  own[3] = sum;
  free (block);
  return own[3] != 4950;
}
END
compile_gen a.c -fprofile-mem-alloc-fn=pool_get:1,xmalloc:1 -fprofile-mem-modules=lifetime,points_to -o a
run ./a
"$memprof" validate a.memprof.json
expect_json a.memprof.json '
groups = {g["id"]: g for g in p["groups"]}
nodes, = [g for g in p["groups"] if g.get("allocator") == "pool_get"]
equal(nodes["objects"], 200)
equal(nodes["bytes"], 3200)
equal(nodes["line"], 29)
block = groups[nodes["parent"]]
equal((block["objects"], block["bytes"], block["allocator"]), (1, 65536, "malloc"))
own, = [g for g in p["groups"] if g.get("allocator") == "xmalloc"]
equal((own["objects"], own["bytes"], "parent" in own), (1, 800, False))
equal(sum(l["objects"] for l in p["lifetimes"] if l["group"] == nodes["id"]), 200)'
# What cannot work is said once.
compile_gen a.c -fprofile-mem-alloc-fn=pool_get:2 -o b 2>log || fail "$(cat log)"
expect_equal "lines about argument 2" "$(grep -c 'has no effect on pools' log)" 1
