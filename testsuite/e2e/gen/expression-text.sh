#!/bin/sh
# expression-text.sh - what sites are called reads like the source.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int a[9], b[9];
__attribute__ ((noipa)) int
before (int *p, int i)
{
  return p[i - 1];
}
__attribute__ ((noipa)) int
below (int *p, unsigned i)
{
  return p[i - 2];
}
__attribute__ ((noipa)) int
above (int *p, int i)
{
  return p[i + 3];
}
int
main (void)
{
  return before (a, 1) + below (a, 2) + above (b, 1);
}
END
for o in -O0 -O2; do
  compile_gen $o a.c -o a
  run -o "output=$o.memprof.json:merge=0" ./a
done
expect_json ./-O2.memprof.json <<'END'
equal(site(line=5)["expression"], "p[i-1]")
equal(site(line=10)["expression"], "p[i-2]")
equal(site(line=15)["expression"], "p[i+3]")
END
# At -O0 the index is computed with the constant inside: no `+-' either.
expect_not ./-O0.memprof.json '[+]-|4294967|18446744'
