# field-order-precompiled.sh - a type keeps its layout when the profiled build had it from a
# precompiled header: what stands beside it there was not looked at.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

plugin=$(plugin_file)
cat >thing.h <<'END'
struct part { char tag; int first; long middle; int last; };
union whole { struct part part; unsigned char bytes[24]; };
END
cat >a.c <<'END'
#include "thing.h"
#include <stdio.h>
__attribute__ ((noinline, noclone)) static long fill (struct part *p, int n)
{
  p->first = n;
  p->middle += 2 * n;
  return p->first + p->middle;
}
int main (void)
{
  static union whole w;
  long sum = 0;
  for (int i = 0; i < 1000; i++) sum += fill (&w.part, i);
  for (int i = 0; i < 24; i++) sum = sum * 31 + w.bytes[i];
  printf ("%ld\n", sum);
  return 0;
}
END
compile_plain a.c -o plain
compile_gen thing.h -o thing.h.gch
compile_gen -Winvalid-pch -Werror a.c -o a
rm thing.h.gch
run ./a
build () # OPTION...
{
  compile -specs="$specs" -O2 -g -fchecking -fprofile-mem-use -fprofile-mem-move-fields -fplugin="$plugin" \
    -fplugin-arg-memprof-eager "$@" a.c -o use
}
build -fprofile-mem-remarks=remarks
expect remarks '"struct part","kind":"field-order","taken":false,"reason":"unchecked"'
same_output ./plain ./use
build -fplugin-arg-memprof-ignore-obstacle=unchecked
./use >out.use
if ./plain | cmp -s - out.use; then fail "no output shows that the header was overlooked"; fi
passed
