# inferred-dependences.sh - sample mode: the writers of what no burst saw written and read.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

# Nodes are written long before they are read, and the weights by a loop that is one
# record; each sweep reads what the one before has written.
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long value; };
static double a[40000], b[40000], weight[40000];
static int order[40000];
static __attribute__ ((noinline)) void
sweep (double *to, const double *from)
{
  for (int i = 0; i < 40000; i++)
    to[order[i]] = from[i] * weight[i] + 1;
}
int
main (void)
{
  struct node *list = NULL;
  for (long i = 0; i < 40000; i++)
    {
      struct node *n = malloc (sizeof *n);
      n->next = list;
      n->value = i;
      list = n;
      order[i] = i * 7919 % 40000;
    }
  for (int i = 0; i < 40000; i++)
    weight[i] = 0.5;
  long sum = 0;
  for (int round = 0; round < 20; round++)
    {
      sweep (b, a);
      sweep (a, b);
      for (struct node *n = list; n; n = n->next)
	sum += n->value;
    }
  printf ("%g %ld\n", a[7], sum);
  return 0;
}
END
compile_gen -fprofile-mem-mode=sample a.c -o a
run -o period=2000:burst=50 ./a
validate a.memprof.json
expect_json a.memprof.json <<'END'
def frequency(source, sink):
    return sum(r["frequency"] for table in ("dependences", "inferred_dependences") for r in p[table]
               if (r["source"], r["sink"]) == (source["id"], sink["id"]))
stores = {line: site(line=line, kind="store") for line in (10, 19, 20, 22, 25)}
for line, expression, by in ((32, "...->value", 20), (31, "...->next", 19), (10, "order[i]", 22),
                             (10, "from[i]", 10), (10, "weight[i]", 25)):
    load = only([s for s in sites(line=line, kind="load") if s["expression"] == expression], expression)
    for at, store in stores.items():
        equal(frequency(store, load) > 0.9, at == by, (expression, at))
END
"$memprof" show --dependences a.memprof.json >text
expect text '% .* inferred  a.c:20:.* a.c:32:.* -  '
"$memprof" explain a.memprof.json a.c:32 >text
expect text 'perhaps by .* inferred a.c:20:'
"$memprof" show --loops a.memprof.json >text
expect text 'inferred dependences of up to'
# With them advice takes less, never more.
"$memprof" advise --all a.memprof.json >text
expect text 'needs the code: .* which meet in 0.0 to 0.0 %.*, perhaps [19].* % \(a sampled profile\)'
sed 's/^"inferred_dependences":\[$/"other":[/' a.memprof.json >without.json
"$memprof" advise --all without.json >text
expect text 'needs the code: .* which meet in 0.0 to 0.0 %'
expect_not text ', perhaps [19]'
