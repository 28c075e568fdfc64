# layout-patch.sh - memprof layout --patch prints a patch of the declaration that applies, and the program, built
# with it, prints the same; what no program can change is left alone with a message.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need patch
mkdir src
cat >src/order.h <<'END'
struct order
{
  char name[120];  /* of the client; for people */
  // In cents.
  int price;
  char note[60];
  struct order *next;
};
END
cat >src/a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "order.h"
int main (void)
{
  struct order *list = 0;
  long sum = 0;
  for (int i = 0; i < 60000; i++)
    {
      struct order *o = calloc (1, sizeof *o);
      o->price = i % 99;
      o->next = list;
      list = o;
    }
  for (int k = 0; k < 10; k++) for (struct order *o = list; o; o = o->next) sum += o->price;
  printf ("%ld\n", sum);
  return 0;
}
END
compile_plain src/a.c -o plain
compile_gen src/a.c -o a
run -o cache=sample=1,window=1 ./a
run "$memprof" layout --patch a.memprof.json order
expect out '^# struct order: a visit touches [0-9.]+ lines before, [0-9.]+ lines after; [0-9,]+ accesses to its fields.$'
expect out '^# A split may pay more: '
expect out 'fetched by each visit: (price, next|next, price)$'
expect out '^\+\+\+ b/src/order.h$'
patch -p1 <out >patched || fail "the patch does not apply: $(cat patched)"
expect_equal "the last hot field before the first cold one" \
  "$(grep -n -m1 'name\[120\]\|note\[60\]' src/order.h | cut -d: -f1)" 6
expect_equal "the comment before its field" "$(grep -A1 'In cents' src/order.h | tail -n 1)" '  int price;'
expect src/order.h '^  char name\[120\];  /\* of the client; for people \*/$'
compile_plain src/a.c -o other
same_output ./plain ./other
sed -i 's/note\[60\]/remark[60]/' src/order.h
run -s 2 "$memprof" layout --patch a.memprof.json order
expect err 'struct order: its fields are not those of the profile; change it by hand'
