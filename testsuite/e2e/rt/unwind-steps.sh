#!/bin/sh
# rt/unwind-steps.sh - at each instruction of what instrumenting has added, and of the
# stubs, a thread can be unwound to main, by a handler or by force.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "single steps are set by flags of that processor"
cp "$MEMPROF_SRCDIR/testsuite/e2e/rt/steps.h" .
cat >a.c <<'END'
#include "steps.h"
#define K __attribute__ ((noipa))
struct node { struct node *next; long value; } n1 = { 0, 1 }, n0 = { &n1, 2 };
long table[64], places[64];
// A leaf with variables in memory, which would be in the red zone.
K long leaf (long n) { volatile long x[8]; for (long i = 0; i < n; i++) x[i & 7] = i; return x[1]; }
K long list (struct node *p) { long s = 0; for (; p; p = p->next) s += p->value; return s; }
K long gather (long n) { long s = 0; for (long i = 0; i < n; i++) s += table[places[i]]; return s; }
K long aligned (long n) { _Alignas (64) volatile long x[8]; x[n] = n; return x[n] + list (&n0); }
K long dynamic (long n) { volatile long *x = __builtin_alloca (n * 8); x[n - 1] = n; return x[n - 1] + list (&n0); }
K long many (long a, long b, long c, long d, long e, long f, volatile long *p, long h)
{ p[a] = b; p[c] = d; return p[a] + p[e] + f + h + list (&n0); }
K long work (void)
{ return leaf (3) + list (&n0) + gather (3) + aligned (2) + dynamic (4) + many (1, 2, 3, 4, 5, 6, table, 8); }
int main (void)
{
  long sum = work ();
  step_through (work);
  printf ("%ld %ld\n", sum, work ());
  return 0;
}
END
compile_plain a.c -o plain
run env PLAIN=1 ./plain
cp out wanted
check () # OPTION...
{
  compile_gen "$@" a.c -o a
  run -o merge=0:period=40:burst=40 ./a
  cmp out wanted || fail "$*: another output"
  expect err '^unwound [0-9]{3,} times by handlers, [0-9]{2,} by force$'
  validate a.memprof.json
}
for how in "" "$intel $branches" "-fno-omit-frame-pointer -mstackrealign" \
           "-O0 -fno-dwarf2-cfi-asm" -fprofile-mem-mode=sample \
           "-Os -fprofile-mem-mode=sample $intel"; do
  # shellcheck disable=SC2086
  check $how
done
# Without tables nothing is unwound, and nothing else changes.
compile_gen -fno-asynchronous-unwind-tables a.c -o a
run -o merge=0 env PLAIN=1 ./a
cmp out wanted
