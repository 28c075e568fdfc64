# field-order-foreign.sh - a type keeps its layout when a unit of the program was not
# profiled: such a unit has its own idea of where the fields are.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

plugin=$(plugin_file)
cat >thing.h <<'END'
struct thing { char name[60]; long first; char place[100]; long second; };
extern struct thing table[400];
long second_ones (void);
END
cat >a.c <<'END'
#include <stdio.h>
#include "thing.h"
struct thing table[400];
int main (void)
{
  long sum = 0;
  for (int round = 0; round < 300; round++)
    for (int i = 0; i < 400; i++)
      {
        table[i].second += i;
        sum += table[i].second * 3 + table[i].first;
      }
  printf ("%ld %ld\n", sum, second_ones ());
  return 0;
}
END
cat >b.c <<'END'
#include "thing.h"
long second_ones (void)
{
  long sum = 0;
  for (int i = 0; i < 400; i++) sum += table[i].second;
  return sum;
}
END
compile_plain a.c b.c -o plain
compile_gen -c a.c -o a.o
compile -O2 -g -c b.c -o b.o
compile_gen a.o b.o -o a
run ./a
run "$memprof" layout a.memprof.json thing
expect out 'not all of the program was profiled'
build () # OPTION...
{
  compile -specs="$specs" -O2 -g -fchecking -fprofile-mem-use=a.memprof.json -fprofile-mem-move-fields \
    -fplugin="$plugin" -fplugin-arg-memprof-eager "$@" -c a.c -o a.o
  compile a.o b.o -o use
}
build -fprofile-mem-remarks=remarks
expect remarks 'struct thing","kind":"field-order","taken":false,"reason":"obstacles"'
same_output ./plain ./use
build -fplugin-arg-memprof-ignore-obstacle=foreign
./plain >out.plain
./use >out.use
if cmp -s out.plain out.use; then fail "no output shows that b.c was overlooked"; fi
passed
