#!/bin/sh
# first-site.sh - the very first access of a module counts like any other.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int first, other;
__attribute__ ((noipa)) void
set (int v)
{
  first = v;
}
int
main (void)
{
  for (int i = 0; i < 5; i++)
    set (i);
  other = first;
  return other == 4 ? 0 : 1;
}
END
compile_gen -O1 a.c -o a
run ./a
expect_json a.memprof.json <<'END'
s = site(function="set")
equal((s["ordinal"], s["executions"]), (0, 5))
equal(points_to(s), [(group("first"), 5)])
equal(dep(s, site(line=12, kind="load"))["count"], 1)
equal(stride(s)["class"], "constant")
END
