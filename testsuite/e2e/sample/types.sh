# sample/types.sh - sample mode infers no dependence that the language excludes: of two types from
# one place, each field is read from its own stores only, or from none.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct a { long value; struct a *next; int low : 3, high : 29; float weight; double extra; };
struct b { struct b *last; double share; struct b *other; union { long n; int i; } u; };
void *made;
__attribute__ ((noinline)) void make (void) { made = calloc (1, 32); }
int
main (void)
{
  struct a *a = NULL;
  struct b *b = NULL;
  for (int i = 0; i < 20000; i++)
    {
      make ();
      struct a *p = made;
      p->value = i, p->next = a, p->high = i, p->weight = p->extra = i / 2, a = p;
      make ();
      struct b *q = made;
      q->last = b, q->share = i, b = q;
    }
  double sum = 0;
  for (int round = 0; round < 200; round++)
    {
      for (struct a *p = a; p; p = p->next)
	sum += p->value + p->high + p->weight + p->extra;
      for (struct b *q = b; q; q = q->last)
	sum += q->share + (q->other ? 1 : q->u.n);
    }
  printf ("%g\n", sum);
  return 0;
}
END
cat >pairs.py <<'END'
import json
p = json.load(open("a.memprof.json"))
field = {s["id"]: s.get("field", "") for m in p["modules"] for f in m["functions"]
         for s in f.get("sites", [])}
pairs = {(field[r["source"]], field[r["sink"]]) for r in p["inferred_dependences"]}
own = {f for f in field.values() if f and (f, f) in pairs}
print(len(own), "of their own,", sum(a != b for a, b in pairs), "of others")
END
full_and_sample a.c
run ./a
cmp out wanted || fail "the output differs"
validate a.memprof.json
[ "$(python3 pairs.py)" = "7 of their own, 0 of others" ] || fail "$(python3 pairs.py)"

# Where the language excludes nothing, places say what b's fields hold that no site stores to.
rm a.memprof.json
compile_gen -fno-strict-aliasing -fprofile-mem-mode=sample a.c -o a
run ./a
[ "$(python3 pairs.py)" = "7 of their own, 3 of others" ] || fail "$(python3 pairs.py)"
