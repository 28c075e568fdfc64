# sample/shared.sh - large functions in sample mode: code in no loop that few calls execute is
# there once, and its records ask whether there is a burst.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *l, *r; int key, uses; long sum; char text[64]; };
static char image[20000], copy[20000];
#define SOMETIMES(k) if (t->text[k] & 2) histogram[k] ^= t->text[k + 1] * (t->key + k);
/* Straight code, calls, code for few calls, a loop with three exits, one that is affine, one that
   counts, and a long copy.  */
__attribute__ ((noinline)) long
visit (struct node *t, int x, long *histogram)
{
  if (!t)
    return 0;
  t->uses++;
  if (t->key > 5 && t->r)
    t->r->key ^= x & 1;
  long a = visit (t->l, x + t->key, histogram);
  long b = visit (t->r, x, histogram);
  if (a > b)
    t->sum += a;
  else if (t->l)
    t->l->sum -= b;
  for (struct node *p = t; p; p = p->uses & 1 ? p->l : p->r)
    {
      if (p->key == (x & 7))
	{
	  histogram[p->key]++;
	  break;
	}
      if (p->sum == 12345)
	return p->sum + t->uses;
      if (p->uses > 2000)
	goto out;
    }
  histogram[8 + (t->key & 7)] += t->sum & 3;
  if (__builtin_expect (t->uses % 100 == 99, 0))
    {
      SOMETIMES (0) SOMETIMES (1) SOMETIMES (2) SOMETIMES (3) SOMETIMES (4)
      SOMETIMES (5) SOMETIMES (6) SOMETIMES (7) SOMETIMES (8) SOMETIMES (9)
    }
out:
  for (int i = 0; i < 40; i++)
    t->text[i] += i;
  switch (t->key & 3)
    {
    case 0: histogram[16] += t->text[1]; break;
    case 1: histogram[17] ^= t->sum; break;
    case 2: t->sum += histogram[18]; break;
    default: break;
    }
  char *end = t->text;
  while (*end && end < t->text + 30)
    end++;
  histogram[19] += end - t->text;
  if ((t->uses & 255) == 0)
    memcpy (copy, image, t->uses & 256 ? sizeof copy : 9000);
  t->key = (t->key + copy[t->uses & 1023]) & 15;
  return (a > b ? a : b) + t->text[3];
}
static struct node *
tree (int depth)
{
  if (depth <= 0)
    return NULL;
  struct node *t = calloc (1, sizeof *t);
  t->key = depth;
  t->l = tree (depth - 1);
  t->r = tree (depth - 2);
  return t;
}
int
main (void)
{
  struct node *t = tree (12);
  long histogram[20] = { 0 }, sum = 0;
  memset (image, 3, sizeof image);
  for (int i = 0; i < 300; i++)
    sum += visit (t, i, histogram);
  printf ("%ld %ld %ld\n", sum, t->sum, histogram[19]);
  return 0;
}
END
cat >same.py <<'END'
import json
def sites(name):
    p = json.load(open(name))
    return {(f["name"], s["ordinal"]): (s["kind"], s["executions"])
            for m in p["modules"] for f in m["functions"] for s in f["sites"]
            if f["name"] == "visit"}
full, all = sites("full.memprof.json"), sites("a.memprof.json")
assert full == all, [(k, full.get(k), all.get(k)) for k in full.keys() | all.keys()
                     if full.get(k) != all.get(k)]
print("same", len(all))
END
for o in -O1 -O2 -O3 "-O2 $intel" "-O2 -fno-pie -no-pie" "-O2 $branches" -Os; do
  compile_plain $o a.c -o plain
  run ./plain
  cp out wanted
  compile_gen $o a.c -o full
  run ./full
  compile_gen -fchecking -fprofile-mem-mode=sample $o a.c -o a
  case $target in
    x86_64-*) objdump -d --no-show-raw-insn a | sed -n '/<visit>:/,/^$/p' >text
            [ "$(grep -c 'cmpb* *\$0x0,' text)" -gt 5 ] || fail "$o: nothing is shared" ;;
  esac
  # One burst from the first places to the last: what is seen of `visit' is all.
  run -o period=1:burst=100000000 ./a
  cmp out wanted || fail "$o: the output differs"
  validate a.memprof.json
  $PYTHON same.py >text || fail "$o: one long burst has not seen all"
  expect text '^same'
  # Without any, only the long copy and what main has set are reported.
  rm a.memprof.json
  run -o bursts=0 ./a
  cmp out wanted || fail "$o: the output differs without bursts"
  expect_json a.memprof.json <<'END'
seen = {f["name"]: [s["kind"] for s in f.get("sites", ()) if s["executions"]]
        for m in p["modules"] for f in m["functions"]}
equal(seen["visit"], ["load", "store"])
END
  for bursts in period=3:burst=2 period=50:burst=70 period=20000:burst=300; do
    rm a.memprof.json
    run -o $bursts ./a
    cmp out wanted || fail "$o, $bursts: the output differs"
  done
done
