# field-order-rebuild.sh - fields are moved in all units or in none; advise and layout say
# what the rebuild does; it can be switched off, and what does not fit does not link.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >order.h <<'END'
typedef struct order
{
  char name[120];
  int price;
  char note[60];
  struct order *next;
  long amount;
} order;
__attribute__ ((visibility ("hidden"))) long volume (const order *list);
END
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "order.h"
int
main (void)
{
  order *list = 0;
  for (int i = 0; i < 50000; i++)
    {
      order *o = calloc (1, sizeof *o);
      snprintf (o->name, sizeof o->name, "order %d", i);
      o->price = i % 99;
      o->amount = i;
      o->next = list;
      list = o;
    }
  long sum = 0;
  for (int i = 0; i < 10; i++)
    sum += volume (list);
  printf ("%ld %s\n", sum, list->name);
  return 0;
}
END
cat >b.c <<'END'
#include "order.h"
long
volume (const order *list)
{
  long sum = 0;
  for (; list; list = list->next)
    sum += list->price * list->amount;
  return sum;
}
END
export MPRT_OPTIONS=cache=sample=1,window=1
compile_plain a.c b.c -o plain
compile_gen a.c b.c -o a
run ./a
run "$memprof" advise a.memprof.json
expect out '^field order: 0 of 1 accessed record type$'
expect out 'no  order.h:1: struct order'
expect out 'not asked for \(-fprofile-mem-move-fields\): fields reordered'
run "$memprof" layout a.memprof.json order
expect out 'A rebuild: not reordered: not asked for \(-fprofile-mem-move-fields\): fields reordered, first'
# Unless asked, nothing is moved, and the decision is advice.
rm -f remarks
compile_use a.c b.c -o use -fprofile-mem-remarks=remarks
expect remarks '"function":"struct order","kind":"field-order","taken":false,"reason":"not-asked".*-fprofile-mem-move-fields'
same_output ./plain ./use
use () { rm -f remarks; compile -specs="$specs" -O2 -g -fprofile-mem-use=a.memprof.json -fprofile-mem-move-fields -fchecking "$@"; }
use a.c b.c -o use
same_output ./plain ./use
use -fprofile-mem-remarks=remarks a.c b.c -o use
expect remarks '"file":"order.h","line":1,.*"function":"struct order","kind":"field-order","taken":true'
echo '@field-order struct order' >veto
use -fprofile-mem-veto=veto -fprofile-mem-remarks=remarks a.c b.c -o use
expect remarks '"kind":"field-order","taken":false,"reason":"vetoed".*vetoed by veto:1'
same_output ./plain ./use
for name in field-order field_order layout 'field*'; do  # older names, too
  use -fprofile-mem-use-no="$name" -fprofile-mem-remarks=remarks a.c b.c -o use
  expect_not remarks '"kind":"field-order","taken":true'
done
for name in layout field_order; do
  echo "@$name struct order" >veto
  use -fprofile-mem-veto=veto -fprofile-mem-remarks=remarks a.c b.c -o use
  expect remarks '"kind":"field-order","taken":false,"reason":"vetoed"'
done
# One unit with, one without: an error, not a program that is wrong.
use -c a.c -o a.o
use -fprofile-mem-veto=veto -c b.c -o b.o
compile_fails a.o b.o -o mixed
expect err 'undefined reference to .__mprt_link_with_fprofile_mem_move_fields'
link_fails () # OBJECT... TEXT: one error that names the type and the veto
{
  compile_fails -specs="$specs" -fprofile-mem-use -fprofile-mem-move-fields "$@" -o mixed
  expect err 'memprof: fields of struct order \(order.h:1\) were moved in a.c, but '
  expect err "memprof veto --add='@field-order struct order' FILE"
}
link_fails a.o b.o
expect err 'b.c has its fields in other places \(order.h:1\)'
use -fprofile-mem-use-no=field-order -c b.c -o b.o
link_fails a.o b.o
compile_plain -c b.c -o b.o
link_fails a.o b.o
expect err 'a.c shares volume with b.o, which was compiled without -fprofile-mem-move-fields'
# A definition that has changed is not the one of the profile.
sed -i 's/note\[60\]/note[90]/' order.h
use -fprofile-mem-remarks=remarks a.c b.c -o use
expect_not remarks '"kind":"field-order"'
same_output ./plain ./use

# A unit that was not profiled: what it does with the type is not known.
compile_plain -c b.c -o b.o
compile_gen a.c b.o -o c
run ./c
run "$memprof" layout c.memprof.json order
expect out 'not all of the program was profiled \(b.c\)'
