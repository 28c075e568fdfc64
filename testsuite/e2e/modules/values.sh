# values.sh - values in the stream: the modules value, value:all and silent_store.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
struct s { int k; float f; signed char c; _Bool b; unsigned bits : 3; };
__attribute__ ((noipa)) long
use (struct s *s, int n, const int *a)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    {
      sum += a[i];
      s->k = 7;
      s->f = (i & 3) * 0.5f;
      s->c = -1;
      s->b = i & 1;
      s->bits = i;
    }
  return sum + s->bits;
}
int
main (void)
{
  static int a[50];
  struct s *s = calloc (1, sizeof *s);
  for (int i = 0; i < 50; i++)
    a[i] = 3 * i - 5;
  return use (s, 50, a) != 50 * 49 / 2 * 3 - 250 + 1;
}
END
for level in -O0 -O1; do
  rm -f a.memprof.json
  compile_gen "$level" -fprofile-mem-modules=default,value:all,silent_store a.c -o a
  run ./a
  run "$memprof" validate a.memprof.json
  expect_json a.memprof.json <<'END'
values = {r["site"]: {k: v for k, v in r.items() if k != "site"} for r in p["values"]}
def value(line, kind):
    r = values[site(line=line, kind=kind)["id"]]
    return [r["executions"], r.get("values"), r.get("min", 0), r.get("max", 0), r.get("repeats", 0),
            r.get("affine", False), r.get("first", 0), r.get("step", 0)]
equal(value(9, "load"), [50, None, 1, 2**32 - 2, 0, True, 2**32 - 5, 3])
equal(value(10, "store"), [50, [[7, 50]], 7, 7, 49, True, 7, 0])
equal(value(11, "store")[1], [[0, 13], [0x3f000000, 13], [0x3f800000, 12], [0x3fc00000, 12]])
equal(value(12, "store")[1], [[255, 50]])
equal(value(13, "store"), [50, [[0, 25], [1, 25]], 0, 1, 0, False, 0, 0])
# A bit-field is only a part of what is stored.
equal(site(line=14, kind="store")["id"] in values, False)
silent = {r["site"]: r["silent"] for r in p["silent_stores"]}
equal(silent[site(line=10, kind="store")["id"]], 49)
equal(silent[site(line=12, kind="store")["id"]], 49)
equal(site(line=13, kind="store")["id"] in silent, False)
END
done
run "$memprof" show --values a.memprof.json
expect out '^ +50 +98\.0 % +always 7 +store +a\.c:10:'
run "$memprof" show --silent-stores a.memprof.json
expect out '^ +49 +50 +98\.0 % +a\.c:10:'

# value alone: loads with values, no store and no loop.
compile_gen -fprofile-mem-modules=value a.c -o a
run -o file=s ./a
if [ -x "$MEMPROF_BUILDDIR/memprof-backend" ]; then
  "$MEMPROF_BUILDDIR/memprof-backend" --counts s >counts
  expect counts ' 5[01] loads, 0 stores, 0 of loops, .* 5[01] values$'
fi
