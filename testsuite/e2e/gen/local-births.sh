#!/bin/sh
# local-births.sh - variables on the stack are born in the record of their first
# use, and what an earlier function left there is not taken for their value.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)

cat >a.c <<'END'
int table[4];
__attribute__ ((noipa)) void
fill (int *p)
{
  *p = 7;
}
__attribute__ ((noipa)) int
get (int i)
{
  if (table[i])
    return table[i];
  int value;
  fill (&value);
  return value;
}
__attribute__ ((noipa)) int
choose (int i)
{
  int a[2], b[2];
  int *p = i & 1 ? a : b;
  for (int k = 0; k < 2; k++)
    p[k] = k + i;
  __asm__ volatile ("" : : "r" (p) : "memory");
  return p[1];
}
int
main (void)
{
  table[1] = 1;
  int sum = 0;
  for (int i = 0; i < 40; i++)
    sum += get (i & 3);
  return sum + choose (1) + choose (2) == 10 + 30 * 7 + 2 + 3 ? 0 : 1;
}
END
for level in -O0 -O2 -Og; do
  compile_gen -fchecking $level a.c -o a
  rm -f s
  run -o file=s ./a
  "$backend" --dump s >dump
  # get has one variable, born in 30 of 40 calls; at -O0 its parameter, too.
  [ $level != -O2 ] || expect_equal "births in get" \
    "$(grep -B1 -A1 ' local ' dump | grep -c -e 'load .* table\[i\]' -e 'BLOCK get')" 30
  rm -f a.memprof.json
  run ./a
  expect_json a.memprof.json <<'END'
row = dep(site(function="fill", kind="store"), [s for s in sites(function="get", kind="load") if s["expression"] == "value"][0])
equal(row["count"], 30)
inside = [dep["count"] for dep in p["dependences"]
          if dep["kind"] == "raw" and dep["sink"] == site(line=24, kind="load")["id"]]
equal(sum(inside), 2)
END
done
