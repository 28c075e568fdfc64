#!/bin/sh
# memcpy-dependence.sh - dependences through memcpy, memmove and memset.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <string.h>
static volatile int from[32], to[32];
__attribute__ ((noipa)) void
copy (int n)
{
  memcpy ((void *) to, (void *) from, n);
}
__attribute__ ((noipa)) void
shift (int n)
{
  memmove ((void *) (to + 1), (void *) to, n);
}
int
main (void)
{
  from[3] = 5;
  copy (32 * 4);
  int sum = to[3];
  shift (16 * 4);
  sum += to[4];
  copy (0);
  return sum == 10 ? 0 : 1;
}
END
compile_gen -O1 a.c -o a
run ./a
expect_json a.memprof.json <<'END'
read = site(function="copy", kind="load")
write = site(function="copy", kind="store")
equal(read["executions"], 2)
equal(dep(site(line=16), read)["count"], 1)
equal(dep(write, site(line=18))["count"], 1)
shifted = site(function="shift", kind="store")
equal(dep(write, site(function="shift", kind="load"))["count"], 1)
equal(dep(shifted, site(line=20))["count"], 1)
equal(deps(write, site(line=20)), [])
equal(deps(site(line=16), site(line=18)), [])
# No bytes are bytes of no object.
equal(points_to(read), [(group("from"), 1)])
END
