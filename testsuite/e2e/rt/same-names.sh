#!/bin/sh
# same-names.sh - two units with functions, sites and variables of equal names.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

for u in 1 2; do
  cat >u$u.c <<END
static volatile int table[8];
static __attribute__ ((noipa)) void work (int n)
{
  for (int i = 0; i < n; i++)
    table[i] = i;
}
void run$u (void) { work ($u + 2); }
END
done
mkdir sub
cat >sub/u1.c <<'END'
static volatile int table[8];
static __attribute__ ((noipa)) void work (int n)
{
  for (int i = 0; i < n; i++)
    table[i] = i;
}
void run3 (void) { work (5); }
END
cat >main.c <<'END'
void run1 (void), run2 (void), run3 (void);
int main (void) { run1 (); run2 (); run3 (); return 0; }
END
compile_gen u1.c u2.c sub/u1.c main.c -o a
run ./a
validate a.memprof.json
expect_json a.memprof.json <<'END'
for unit, n in (("u1.c", 3), ("u2.c", 4), ("sub/u1.c", 5)):
    s = site(function="work", module=unit)
    equal(s["executions"], n)
    equal([(g["function"], g["file"], c) for g, c in points_to(s)],
          [("table", unit, n)])
equal(len(groups("table")), 3)
END
