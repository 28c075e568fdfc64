#!/bin/sh
# failed-allocation.sh - an allocation that throws keeps its name to itself.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
on_hardware "/proc shows the emulator, so other code has no names"

cat >a.cc <<'END'
#include <cstdlib>
#include <new>
__attribute__ ((noipa)) char *
too_much (std::size_t n)
{
  return new char[n];
}
extern "C" char *other (void);
int
main ()
{
  try { too_much (~0ul >> 2); } catch (std::bad_alloc &) {}
  char *p = other ();
  p[0] = 1;
  return 0;
}
END
# Not instrumented: its objects are named by the return address.
echo 'void *malloc (unsigned long); char *other (void) { return malloc (10); }' >b.c
compile -c -g b.c -o b.o
compile_gen a.cc b.o -o a
run ./a
expect_json a.memprof.json <<'END'
# Neither the exception nor what other () returns is an object of line 6.
equal([g for g in groups(kind="heap") if g.get("line") == 6], [])
equal([g["bytes"] for g in groups(kind="heap") if g["function"] == "a:other"], [10])
END
