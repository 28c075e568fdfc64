# contexts.sh - dependence:context: the callers of the ends of a dependence.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.cc <<'END'
#include <csetjmp>
#define APART __attribute__ ((noipa))
int cell, other;
static jmp_buf where;
APART static void put (int v) { cell = v; }
APART static int get () { return cell; }
APART static int use () { int v = get (); asm ("" : "+r" (v)); return v; }
APART static void fail (int how) { other = how; if (how == 1) throw how; if (how == 2) longjmp (where, 1); }
APART static void deep (int how) { fail (how); asm (""); }
int
main ()
{
  int sum = 0;
  put (1);
  sum += get () + use ();
  try { deep (1); } catch (int) { sum += use (); }
  if (!setjmp (where))
    deep (2);
  else
    sum += get ();
  return sum != 4;
}
END
for level in -O0 -O2; do
  rm -f a.memprof.json
  compile_gen "$level" -fprofile-mem-modules=dependence:context a.cc -o a
  run ./a
  run "$memprof" validate a.memprof.json
  expect_json a.memprof.json <<'END'
load = site(function="get", kind="load")["id"]
rows = {r["context"]: r["count"] for r in p["dependences"] if r["sink"] == load}
# After the exception and the longjmp control is in main again.
def short(text):
    return text.replace("()", "").replace("(int)", "")
equal({short(c): n for c, n in rows.items()},
      {"put < main -> get < main": 2, "put < main -> get < use < main": 2})
END
done

# No other module needs to know which function runs.
if [ -x "$MEMPROF_BUILDDIR/memprof-backend" ]; then
  for modules in dependence:context dependence:all; do
    compile_gen -fprofile-mem-modules=$modules a.cc -o a
    run -o file=s ./a
    "$MEMPROF_BUILDDIR/memprof-backend" --counts s | sed -n 2p >"$modules"
  done
  expect dependence:context ' [12][0-9] of functions'
  expect dependence:all ' 0 of functions'
fi
