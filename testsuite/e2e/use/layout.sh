# layout.sh - memprof layout: the record as it is, and a better order that compiles.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >order.h <<'END'
enum side { BUY, SELL };
typedef struct { double x, y; } point;
struct order
{
  char name[120];
  int price;
  enum side side;
  unsigned open : 1, kind : 3;
  char note[50];
  point where;
  int (*compare) (const struct order *, const struct order *);
  struct order *next;
  double history[2][4];
};
END
cat >a.c <<'END'
#include <stdlib.h>
#include "order.h"
int
main (void)
{
  struct order *list = 0;
  long sum = 0;
  for (int i = 0; i < 1000; i++)
    {
      struct order *o = calloc (1, sizeof *o);
      o->price = i;
      o->kind = i;
      o->next = list;
      list = o;
    }
  for (int round = 0; round < 50; round++)
    for (struct order *o = list; o; o = o->next)
      sum += o->price;
  return sum == 0;
}
END
compile_gen a.c -o a
run ./a
run "$memprof" validate a.memprof.json
run "$memprof" layout a.memprof.json
expect out 'struct order$'
run "$memprof" layout --present a.memprof.json order
expect out '/\* struct order: 280 bytes, aligned to 8; 5 lines, 2 of them hold 95 %'
cp out present.c
run "$memprof" layout a.memprof.json "struct order"
expect out 'Proposed: hot fields first: 280 bytes; 5 lines, 1 of them hold 95 %'
expect out "struct order \\*next; +/\\* 0: 49"
expect out 'may be better still'
cp out proposed.c
# Both are C, and have the offsets that they say.
cat >check.c <<'END'
#include <stddef.h>
#include "order.h"
#define check(f) _Static_assert (offsetof (struct order, f) == f##_at, #f)
END
for f in price note where compare next history; do
  echo "enum { ${f}_at = OFFSET ($f) };" >>offsets.c
done
sed 's/struct order$/struct printed/' present.c >printed.h
sed 's/OFFSET (\(.*\)) }/offsetof (struct printed, \1) }/; s/\(.*enum { \(.*\)_at.*\)/\1 check (\2);/' offsets.c >>check.c
sed -i '2a #include "printed.h"' check.c
echo '_Static_assert (sizeof (struct printed) == sizeof (struct order), "size");' >>check.c
compile -c check.c
{ cat proposed.c; echo '_Static_assert (sizeof (struct order) == 280, "size");'
  echo '_Static_assert (__builtin_offsetof (struct order, price) == 8, "price");'; } >new.c
compile -c new.c
run -s 1 "$memprof" layout a.memprof.json nothing
expect err 'no site accesses a record type nothing'
run "$memprof" layout --json a.memprof.json
expect out '"hot_bytes": *12'
