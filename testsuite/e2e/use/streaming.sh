# use/streaming.sh - a loop that writes what nothing accesses soon stores past the caches, where an entry
# writes much; not where a cache would have it, where the user forbids it, nor without evidence.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "no streaming stores"

need objdump
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static void __attribute__ ((noinline)) triad (double *restrict a, const double *restrict b, const double *restrict c, long n)
{
  for (long i = 0; i < n; i++)
    a[i] = b[i] + 0.5 * c[i];
}
int main (int argc, char **argv)
{
  long n = atol (argv[1]);
  double *x[3], sum = 0;
  for (int k = 0; k < 3; k++)
    for (long i = (x[k] = malloc (8 * n), 0); i < n; i++)
      x[k][i] = i % 17 + k;
  for (int t = 0; t < atoi (argv[2]); t++)
    triad (x[t % 2], x[(t + 1) % 2], x[2], n);
  for (long i = 0; i < n; i++)
    sum += x[i % 3][i];
  printf ("%.17g\n", sum);
  return 0;
}
END
compile_plain a.c -o plain
compile -specs="$specs" -O2 -g -fprofile-mem-generate a.c -o gen
run -o output=a.json ./gen 1000000 400
rebuild () # OPTION...
{
  rm -f info
  compile -specs="$specs" -O2 -g -fchecking -fprofile-mem-use=a.json a.c -o use -fopt-info-all=info "$@"
  stores=$(objdump -d use --no-show-raw-insn | awk '/^[0-9a-f]+ <triad/{p=1} /^$/{p=0} p' | grep -c "movnt\|sfence" || true)
}
rebuild -fprofile-mem-caches=L2=512K,LLC=1M
expect info 'a.c:6:.* optimized: memprof: a.i.: streaming stores where an entry writes 1.0 MB: .*, at most 1.[1-4].x as fast'
[ "$stores" -ge 2 ] || fail "no streaming store or no fence"
for n in 1 5 100 200001; do
  same_output ./plain ./use $n 7
done
rebuild -fprofile-mem-caches=L2=512K,LLC=1G
expect info 'a.c:6:.* missed: memprof: a.i.: no streaming stores: .* of the lines are in the last level already'
expect_equal "in a large cache" "$stores" 0
rebuild -fprofile-mem-caches=L2=512K,LLC=1M -fprofile-mem-use-no=streaming-stores
expect_not info 'streaming stores'
echo a.c:6 >veto
rebuild -fprofile-mem-caches=L2=512K,LLC=1M -fprofile-mem-veto=veto
expect info 'a.c:6:.* missed: memprof: a.i.: no streaming stores: vetoed by veto:1'
run -o output=full.json:modules=points_to ./gen 2000 2
mv full.json a.json
rebuild
expect info 'a.c:6:.* missed: memprof: a.i.: no streaming stores: '
