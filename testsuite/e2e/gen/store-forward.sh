#!/bin/sh
# store-forward.sh - an 8-byte store feeds a 4-byte load at +4.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdint.h>
#include <stdlib.h>
int
main (void)
{
  volatile uint64_t *wide = malloc (64);
  volatile uint32_t *half = (volatile uint32_t *) wide;
  uint32_t sum = 0;
  wide[0] = 0x500000003ull;
  sum += half[1];
  half[0] = 7;
  sum += half[0];
  sum += (uint32_t) wide[0];
  return sum == 5 + 7 + 7 ? 0 : 1;
}
END
compile_gen -O1 a.c -o a
run ./a
expect_json a.memprof.json <<'END'
equal(dep(site(line=9), site(line=10))["count"], 1)
equal(deps(site(line=11), site(line=10)), [])
equal(deps(site(line=9), site(line=12)), [])
equal(dep(site(line=11), site(line=12))["count"], 1)
equal(dep(site(line=9), site(line=13))["count"], 1)
equal(dep(site(line=11), site(line=13))["count"], 1)
equal(site(line=9)["width"], 8)
equal(site(line=10)["width"], 4)
END
