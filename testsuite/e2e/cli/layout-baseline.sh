# layout-baseline.sh - memprof layout --baseline fails when a hot record grows over a line, and only then.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
struct node { struct node *next; long key; char pad[PAD]; };
struct rare { long a; char b[RARE]; };
int main (void)
{
  struct node *list = 0;
  struct rare *r = calloc (1, sizeof *r);
  long sum = r->a;
  for (int i = 0; i < 5000; i++)
    {
      struct node *n = calloc (1, sizeof *n);
      n->key = i, n->next = list, list = n;
    }
  for (struct node *n = list; n; n = n->next) sum += n->key;
  return sum == 0;
}
END
profile () { compile_gen "-DPAD=$1" "-DRARE=$2" a.c -o "$3" && run ./"$3"; }
profile 48 8 a
run -s 2 "$memprof" layout --baseline=kept.json a.memprof.json
expect err 'kept\.json: .*--update makes it'
run "$memprof" layout --baseline=kept.json --update a.memprof.json
expect out '^kept\.json: 2 records$'
expect kept.json '^\{"name":"struct node","bytes":64,"hot":true,"lines":[0-9.]*,"order":"[0-9a-f]{16}"\}'
run "$memprof" layout --baseline=kept.json a.memprof.json
expect out '^1 hot record: none takes more lines'

# A record that is hardly accessed may grow; the hot one may not.
profile 48 100 b
run "$memprof" layout --baseline=kept.json b.memprof.json
profile 56 8 c
run -s 1 "$memprof" layout --baseline=kept.json c.memprof.json
expect out '^grown: struct node: 72 bytes instead of 64: 2 lines of the cache instead of 1;'
expect_not out 'struct rare'
run "$memprof" layout --baseline=kept.json --update c.memprof.json
run "$memprof" layout --baseline=kept.json c.memprof.json
profile 40 8 d
run "$memprof" layout --baseline=kept.json d.memprof.json
expect out '^note: struct node: 56 bytes instead of 72$'

run -s 2 "$memprof" layout --baseline=a.c --update a.memprof.json
expect err 'a\.c: .*not overwritten'
run -s 2 "$memprof" layout --baseline=a.memprof.json a.memprof.json
expect err 'no baseline of layouts'
