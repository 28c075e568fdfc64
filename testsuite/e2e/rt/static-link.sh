#!/bin/sh
# static-link.sh - -static and -static-pie: accesses and allocations are seen.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int
main (void)
{
  volatile int *p = malloc (40);
  for (int i = 0; i < 10; i++)
    p[i] = i;
  p = realloc ((void *) p, 80);
  printf ("%d\n", p[9]);
  free ((void *) p);
  return 3;
}
END
for how in -static -static-pie; do
  compile_plain $how a.c -o plain 2>/dev/null || skip "no static C library"
  rm -f a.memprof.json # of the build before
  compile_gen $how a.c -o a
  same_output ./plain ./a
  rm -f a.memprof.json
  run -s 3 ./a
  validate a.memprof.json
  expect_json a.memprof.json <<'END'
equal(site(line=8)["executions"], 10)
equal(group(line=6, kind="heap")["objects"], 1)
equal(group(line=9, kind="heap")["bytes"], 80)
equal(points_to(site(line=8)), [(group(line=6, kind="heap"), 10)])
END
done
