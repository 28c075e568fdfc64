# use/library-symbols.sh - a rebuilt shared library exports what the plain one does; its objects come from the arena
# of a program that has one, and from malloc elsewhere.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >lib.c <<'END'
#include <stdlib.h>
struct rec { struct rec *next; long key; long pad[12]; };
struct rec *rec_new (struct rec *next, long key)
{ struct rec *r = malloc (sizeof *r); if (!r) abort (); r->next = next; r->key = key; return r; }
long rec_sum (struct rec *r) { long s = 0; for (; r; r = r->next) s += r->key; return s; }
END
cat >main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct rec;
struct rec *rec_new (struct rec *, long);
long rec_sum (struct rec *);
int main (void)
{
  struct rec *l = 0;
  long s = 0, **own = malloc (300000 * sizeof *own);
  for (long i = 0; i < 300000; i++) { l = rec_new (l, i); own[i] = malloc (100); *own[i] = i; }
  for (int k = 0; k < 5; k++)
    { s += rec_sum (l); for (long i = 0; i < 300000; i++) s += *own[i * 7919 % 300000]; }
  printf ("%ld\n", s);
  return 0;
}
END
exported () { nm -D --defined-only "$1" | sed 's/.* //' | sort | tr '\n' ' '; }
library () { compile "$@" -O2 -g -fPIC -shared lib.c -o librec.so; }
plugin=$(plugin_file)
eager="-fplugin=$plugin -fplugin-arg-memprof-eager"
program="main.c -L. -lrec -Wl,-rpath,$PWD"
library
wanted=$(exported librec.so)
compile_plain $program -o plain
run ./plain
mv out plain.out
library -specs="$specs" -fprofile-mem-generate="$PWD/prof"
compile -specs="$specs" -O2 -g -fprofile-mem-generate="$PWD/prof" $program -o gen
run ./gen
library -specs="$specs" -fprofile-mem-use="$PWD/prof" $eager -fprofile-mem-remarks=remarks
expect remarks '"file":"lib.c","line":4,.*"kind":"huge-pages","taken":true.*only in programs linked with the option'
expect_equal "symbols of the library" "$(exported librec.so)" "$wanted"
compile -specs="$specs" -O2 -g -fprofile-mem-use="$PWD/prof" $eager $program -o use
for p in ./plain ./use; do
  run env MPRT_ARENA=report $p
  cmp out plain.out || fail "$p prints something else"
  [ $p = ./plain ] && expect_equal "report of ./plain" "$(cat err)" "" || expect err '^memprof arena: 2 sites'
done
