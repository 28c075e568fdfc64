#!/bin/sh
# few-accesses.sh - a program with fewer than 16 accesses has an exact profile.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int a[4], b;
int
main (void)
{
  a[0] = 1;
  a[1] = 2;
  b = a[0] + a[1];
  return b == 3 ? 0 : 1;
}
END
compile_gen -O0 a.c -o a
run ./a
validate a.memprof.json
expect_json a.memprof.json <<'END'
equal(p["run"]["stores"], 3)
equal(p["run"]["loads"], 3)
equal(p["run"]["complete"], True)
equal([s["executions"] for s in sites()], [1] * 6)
equal(len(deps()), 3)
equal(dep(site(line=5), site(line=7, kind="load", expression="a[0]"))["count"], 1)
equal([g["function"] for g in groups(kind="global")], ["a", "b"])
END
