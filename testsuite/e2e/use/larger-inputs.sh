# use/larger-inputs.sh - what the cache held in the training run is prefetched where the rebuilt
# program allocates larger blocks; the program tells so across units, for each kind of call.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=L1=32K/8,L2=256K/8,LLC=8M/16 # decisions do not depend on this machine

cat >make.c <<'END'
#include <stdlib.h>
long *by_malloc (size_t n) { return malloc (n * sizeof (long)); }
long *by_calloc (size_t n) { return calloc (n, sizeof (long)); }
long *by_realloc (size_t n) { return realloc (malloc (8), n * sizeof (long)); }
long *by_posix (size_t n) { void *p; return posix_memalign (&p, 64, n * sizeof (long)) ? 0 : p; }
long *by_aligned (size_t n) { return aligned_alloc (64, n * sizeof (long)); }
END
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
long *HOW (size_t n);
__attribute__ ((noinline)) static long
gather (const long *a, const unsigned *b, unsigned n)
{
  long sum = 0;
  for (unsigned i = 0; i < n; i++)
    if (a[b[i]] & 1)
      sum += i;
  return sum;
}
#ifdef NAME
extern unsigned long largest __asm__ ("__memprof_largest." NAME)
  __attribute__ ((visibility ("hidden")));
#endif
int main (int argc, char **argv)
{
  unsigned n = atoi (argv[1]), m = 1 << 18, x = 1;
  long *a = HOW (n);
  unsigned *b = malloc (m * sizeof *b);
  for (unsigned i = 0; i < n; i++)
    a[i] = i;
  for (unsigned i = 0; i < m; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 8 & (n - 1);
  printf ("%ld\n", gather (a, b, m) + gather (a, b, m));
#ifdef NAME
  fprintf (stderr, "largest %lu\n", largest);
#endif
  return 0;
}
END
for how in malloc calloc realloc posix aligned; do
  compile_plain -DHOW=by_$how a.c make.c -o plain
  rm -f a.memprof.json remarks
  compile_gen -DHOW=by_$how a.c make.c -o a
  run ./a 8192
  for flags in '' -flto; do
    rm -f remarks
    # shellcheck disable=SC2086 # several words
    compile_use $flags -fchecking -DHOW=by_$how a.c make.c -o use -fprofile-mem-remarks=remarks
    expect remarks '"line":9,.*"taken":true,.*"at_least":[0-9]*,.*inputs .* times as large .*; where a block of its allocation call has '
    same_output ./plain ./use 8192
    same_output ./plain ./use 1048576
  done
  # The number that the loop compares.
  compile_use -c -DHOW=by_$how a.c make.c -fdump-tree-optimized
  name=$(nm make.o | sed -n 's/.* __memprof_largest\.//p')
  grep -q "__memprof_largest.$name;" ./a.c.*optimized || fail "$how: no loop asks"
  expect_equal "$how: the same variable" "$(nm a.o | grep -c "__memprof_largest\.$name\$")" 1
  compile_use -DHOW=by_$how "-DNAME=\"$name\"" a.c make.c -o named
  for n in 8192 1048576; do
    run ./named $n
    expect err "^largest $((8 * n))$"
  done
done
rm -f remarks
echo a.c:9 >veto
compile_use -fno-tree-vectorize -DHOW=by_malloc a.c make.c -o use -fprofile-mem-veto=veto -fprofile-mem-remarks=remarks
expect remarks '"line":9,.*"taken":false,"reason":"vetoed"'
