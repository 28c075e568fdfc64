# pointers.sh - what pointers point to that are loaded, stored, passed and returned.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
#define APART __attribute__ ((noipa))
struct node { struct node *next; int value; } *head, *spare;
int table[4], *cursor;
APART struct node *make (void) { return malloc (sizeof (struct node)); }
APART struct node *push (struct node *rest)
{
  struct node *n = make ();
  n->next = rest;
  return n;
}
APART int same (int unused, const struct node *a, const struct node *b) { return a == b; }
int
main (void)
{
  for (int i = 0; i < 5; i++)
    head = push (head);
  spare = make ();
  cursor = table + 4;
  return same (1, head, spare) || cursor == 0;
}
END
for level in -O0 -O2; do
  rm -f a.memprof.json
  compile_gen $level -fprofile-mem-modules=pointers a.c -o a
  run ./a
  run "$memprof" validate a.memprof.json
  expect_json a.memprof.json <<'END'
heap = next(g["id"] for g in p["groups"] if g["line"] == 5)
rows = [r for r in p["pointers"] if r.get("function")]
def args(function, number):
    return {(r["context"], r["target"], r.get("allocated")): r["count"] for r in rows
            if (r["function"], r.get("argument", 0)) == (function, number)}
ours = "make < push < main"
equal(args("push", 1), {("push < main", "null", None): 1, ("push < main", "object", ours): 4})
equal(args("make", 0), {("push < main", "object", ours): 5, ("main", "object", "make < main"): 1})
# They are compared, but their targets are not looked at.
equal(args("same", 2), {("same < main", "object", ours): 1})
equal(args("same", 3), {("same < main", "object", "make < main"): 1})
equal(args("same", 1), {})
next_site = site(function="push", kind="store", line=9)["id"]
equal({(r["target"], r.get("group")): r["count"] for r in p["pointers"] if r.get("site") == next_site},
      {("null", None): 1, ("object", heap): 4})
store = site(function="main", kind="store", line=19)["id"]
end = [r for r in p["pointers"] if r.get("site") == store]
ends = {p["groups"][r["group"]]["function"]: (r["count"], r.get("ends", 0)) for r in end}
equal(ends["table"], (1, 1))
END
done
run "$memprof" show --pointers --top=0 a.memprof.json
expect out ' 4 +0 +argument 1 of push +push < main +malloc at a\.c:5 .*from make < push < main'

# Only pointers are reported, and functions, whose calls make contexts.
if [ -x "$MEMPROF_BUILDDIR/memprof-backend" ]; then
  run -o file=s ./a
  "$MEMPROF_BUILDDIR/memprof-backend" --counts s | sed -n 2p >counts
  expect counts ' 0 of loops, 2[0-9] of functions, 1[0-9] pointers, 0 locals'
  compile_gen -O2 -fprofile-mem-modules=dependence a.c -o a
  run -o file=s ./a
  "$MEMPROF_BUILDDIR/memprof-backend" --counts s | sed -n 2p >counts
  expect counts ' 0 of functions, 0 pointers, .* 0 values$'
fi
