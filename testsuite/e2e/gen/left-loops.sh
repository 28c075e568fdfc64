#!/bin/sh
# left-loops.sh - loops that an exception or a longjmp leaves through a callee
# are over: the next access belongs to the loop where control arrives.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.cc <<'END'
#include <setjmp.h>
static volatile int a[8];
static jmp_buf env;
__attribute__ ((noipa)) static void
leave (int i, int how)
{
  if (i == 4 && how)
    throw 1;
  if (i == 4)
    longjmp (env, 1);
}
__attribute__ ((noipa)) static void
deep (int how)
{
  for (int i = 0; i < 8; i++)
    {
      a[i] = i;
      leave (i, how);
    }
}
__attribute__ ((noipa)) static int
jumped (void)
{
  if (setjmp (env) == 0)
    deep (0);
  return a[3];
}
int
main (void)
{
  int sum = 0;
  for (int r = 0; r < 3; r++)
    {
      try { deep (1); }
      catch (int) { sum += a[2]; }
      sum += jumped ();
    }
  return sum == 15 ? 0 : 1;
}
END
for level in -O0 -O2; do
  rm -f a.memprof.json
  compile_gen -fchecking $level a.cc -o a
  run ./a
  expect_json a.memprof.json <<'END'
outer = loop(function="main")
for text in ("a[3]", "a[2]"):
    row = dep(site(line=17, kind="store"), site(expression=text, kind="load"))
    equal((row["count"], row["intra"], row["loop"]), (3, 3, outer["id"]))
inner = loop(function="deep")
equal((inner["invocations"], inner["iterations"]), (6, 30))
END
done
