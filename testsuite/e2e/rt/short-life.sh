#!/bin/sh
# short-life.sh - programs that live 10 ms, or hardly at all, are profiled whole.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <unistd.h>
static volatile int cell[64];
int
main (int argc, char **argv)
{
  for (int i = 0; i < 64; i++)
    cell[i] = i;
  if (argc > 1)
    usleep (10000);
  for (int i = 0; i < 63; i++)
    if (cell[i] != i)
      return 2;
  return 0;
}
END
compile_gen -O1 a.c -o a
for arguments in '' ten-ms; do
  rm -f a.memprof.json
  run ./a $arguments
  validate a.memprof.json
  expect_json a.memprof.json <<'END'
equal(p["run"]["complete"], True)
equal(site(line=7)["executions"], 64)
equal(site(line=11)["executions"], 63)
equal(dep(site(line=7), site(line=11))["count"], 63)
END
done
