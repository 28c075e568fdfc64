# sample/record-steps.sh - a handler after each instruction of a record publishes only whole
# records: what lies below the cursor has its words.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "single steps are set by that processor's flags"

cat >a.c <<'END'
#include <signal.h>
#include <stdio.h>
long cells[64], steps;
static void on_step (int signal) { steps += signal == SIGTRAP; }
static __attribute__ ((noinline)) void add (long *p) { *p += steps < 0; }
int
main (void)
{
  signal (SIGTRAP, on_step);
  for (int i = 0; i < 64; i++)
    {
      __asm__ volatile ("pushfq; orl $0x100, (%%rsp); popfq" : : : "memory", "cc");
      add (&cells[i]);
      __asm__ volatile ("pushfq; andl $~0x100, (%%rsp); popfq" : : : "memory", "cc");
    }
  printf ("%d\n", steps > 64 * 20);
  return (int) cells[9];
}
END
compile_gen -mno-red-zone -fprofile-mem-mode=sample a.c -o a
# A file gets at once what is published.
run -o period=0:file=S ./a
expect out '^1$'
"$MEMPROF_BUILDDIR"/memprof-backend --from S --output a.memprof.json
expect_json a.memprof.json <<'END'
add = [f for m in p["modules"] for f in m["functions"] if f["name"] == "add"][0]
of_cells = [s["id"] for s in add["sites"] if s["expression"] == "*p"]
equal([s["executions"] for s in add["sites"]], [64, 64, 64])
equal([(r["dominant"], r["histogram"]) for r in p["strides"] if r["site"] in of_cells],
      [(8, [[8, 63]])] * 2)
equal([g["accesses"] for g in p["groups"] if g.get("function") == "cells"], [64 * 2 + 1])
END
