# reused-objects.sh - an arena where dead objects are reused often, or headers take lines; none among others.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=L1=32K/8,L2=1M/8,TLB=4096/8 # decisions do not depend on this machine

# Each round ends every other object, in one sweep, before new ones are made.
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifndef OTHERS
#define OTHERS 0
#endif
int main (int argc, char **argv)
{
  long n = atol (argv[1]), rounds = atol (argv[2]), sum = 0;
  long **all = calloc (n, sizeof *all), **others = calloc (n, sizeof *others);
  for (long r = 0; r < rounds; r++)
    {
      for (long i = r & 1; i < n; i += 2) free (all[i]), free (others[i]);
      for (long i = r & 1; i < n; i += 2)
	{
	  all[i] = malloc (56 + argc);
	  *all[i] = i;
	  others[i] = OTHERS ? malloc (60) : 0;
	}
    }
  for (long i = 0; i < n; i++) sum += *all[i];
  printf ("%ld\n", sum);
}
END
for others in 0 1; do
  rm -f a.memprof.json remarks
  compile_plain -DOTHERS=$others a.c -o plain
  compile_gen -DOTHERS=$others a.c -o a
  run ./a 10000 8
  compile_use -DOTHERS=$others -fprofile-mem-remarks=remarks a.c -o use
  same_output ./plain ./use 100000 9
  MPRT_ARENA=report run ./use 100000 9
  if [ $others = 0 ]; then
    expect remarks '"line":15,.*"kind":"huge-pages","taken":true,.*"text":"site arena: .* of them where others have died'
    expect err '^memprof arena: 1 sites, [1-9]'
  else
    expect_not remarks 'site arena'
  fi
done
passed
