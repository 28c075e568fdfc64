# field-order-link.sh - the link refuses moved fields that an object, an archive, a library or an edit does not
# fit, names type, unit and veto, and the veto mends it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >rec.h <<'END'
struct rec { int hits; char note[120]; long sum; char more[60]; long key; };
long total (struct rec *first, int n);
END
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "rec.h"
enum { N = 60000 };
static struct rec *v;
#ifdef EDITED
static long hash (struct rec *r)
{ const unsigned char *b = (const unsigned char *) r; long h = 0; for (int i = 0; i < 200; i++) h = h * 31 + b[i]; return h; }
#else
#define hash(r) 0
#endif
int main (void)
{
  long s = 0;
  v = calloc (N, sizeof *v);
  for (int i = 0; i < N; i++) v[i].key = i;
  for (int k = 0; k < 6; k++) for (int i = 0; i < N; i++) { v[i].hits++; s += v[i].key; }
  printf ("%ld %ld %ld\n", s, total (v, N), hash (v + 7));
  return 0;
}
END
echo '#include "rec.h"
long total (struct rec *r, int n) { long s = 0; for (int i = 0; i < n; i++) s += r[i].key * r[i].hits; return s; }' >b.c
echo 'long total (const unsigned char *b, int n) { long h = 0; for (int i = 0; i < 208; i++) h = h * 31 + b[i]; return h + n; }' >bytes.c
compile_plain a.c b.c -o plain
compile_plain -DEDITED a.c b.c -o edited.plain
compile_gen a.c b.c -o a
run ./a
use="-specs=$specs -O2 -g -fprofile-mem-use=a.memprof.json -fprofile-mem-move-fields"
refused () # TEXT ARGUMENT...
{
  text=$1; shift
  compile_fails $use "$@" -o mixed
  expect err "fields of struct rec \\(rec.h:1\\) were moved in .*$text.*memprof veto --add='@field-order struct rec' FILE"
}
for more in "" -flto "-static"; do
  rm -f remarks
  compile $use $more -fprofile-mem-remarks=remarks a.c b.c -o use
  expect remarks '"struct rec","kind":"field-order","taken":true'
  same_output ./plain ./use
done
# An edit in the same unit: it is seen before the fields move; the link says so of b.c.
refused 'a.c has its fields in other places' -DEDITED a.c b.c
# Units, archives and libraries that know the bytes.
compile $use -c a.c -o a.o
compile $use -c b.c -o b.o
compile -O2 -c b.c -o foreign.o
refused 'shares total with foreign.o' a.o foreign.o
ar rcs libforeign.a foreign.o
refused 'shares total with .*libforeign.a' a.o -L. -lforeign
compile -O2 -shared -fPIC b.c -o libshared.so
refused 'shares total with .*libshared.so' a.o -L. -lshared
compile -O2 -flto -c b.c -o lto.o
refused 'lto.o was compiled with -flto and without' a.o lto.o
compile $use -c bytes.c -o bytes.o
refused 'bytes.c, which declares it with another type' a.o bytes.o
compile $use -r a.o b.o -o both.o
compile $use both.o -o use
same_output ./plain ./use
refused 'defines total, which others than this program can see' a.o b.o -rdynamic
refused 'defines total, which others' -shared -fPIC b.c
compile_fails a.o b.o -o mixed
expect err 'undefined reference to .__mprt_link_with_fprofile_mem_move_fields'
# The line of the message mends it.
run "$memprof" veto --add='@field-order struct rec' veto
expect veto '^@field-order struct rec$'
compile $use -fprofile-mem-veto=veto -DEDITED a.c b.c -o use
same_output ./edited.plain ./use
