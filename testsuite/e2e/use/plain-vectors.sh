# use/plain-vectors.sh - at -O2 a loop in which no store is in the way becomes vectors where
# the profile saw long entries, without a copy; not where they are short, where the user
# wants no vectors, nor where GCC decides by itself.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static double x[4000], y[4000], z[4000];
__attribute__ ((noinline)) static void add (int from, int to)
{
  for (int i = from; i < to; i++)
    z[i] = x[i] * 3 + y[i];
}
int main (int argc, char **argv)
{
  int n = atoi (argv[1]);
  double sum = 0;
  for (int i = 0; i < 4000; i++)
    x[i] = i % 7, y[i] = i % 11;
  for (int i = 0; i < 80000 / n; i++)
    add (i % 5, i % 5 + n);
  for (int i = 0; i < 4000; i++)
    sum = sum / 3 + z[i];
  printf ("%.17g\n", sum);
  return 0;
}
END
compile_plain a.c -o plain
vectors_of () # FILE
{
  objdump -d "$1" --no-show-raw-insn \
    | awk '/^[0-9a-f]+ <add/{p=1} /^$/{p=0} p' | grep -cE 'mulpd|v[0-9]+\.2d' || true
}
rebuild () # ITERATIONS OPTION...
{
  n=$1 ; shift
  rm -f a.memprof.json info
  compile_gen "$@" a.c -o a
  run ./a "$n"
  compile_use "$@" -fprofile-mem-use-no=hot-functions -fchecking a.c -o use -fopt-info-all=info
  for each in 1 2 3 17 3000; do
    same_output ./plain ./use $each
  done
  vectors=$(vectors_of use)
}
taken='a.c:6:.* optimized: memprof: loop: GCC is asked for vectors of 2, no store is in the way:'
rebuild 100
expect info "$taken 100.0 iterations per entry, 80000 iterations"
[ "$vectors" -ge 1 ] || fail "no vectors"
rebuild 100 -fprofile-mem-mode=sample
expect info "$taken"
rebuild 4
expect info 'a.c:6:.* missed: memprof: loop: not versioned: 4.0 iterations per entry are too few for vectors'
expect_equal "short entries" "$vectors" "$(vectors_of plain)"
rebuild 100 -fno-tree-vectorize
expect_not info "$taken"
expect_equal "unwanted" "$vectors" 0
rebuild 100 -O3
expect_not info "$taken"
rebuild 100
rm -f info
echo a.c:7 >veto
compile_use a.c -o use -fprofile-mem-use-no=hot-functions -fopt-info-all=info -fprofile-mem-veto=veto
expect info 'a.c:6:.* missed: memprof: loop: not versioned: vetoed by veto:1'
