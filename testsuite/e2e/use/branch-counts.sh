# use/branch-counts.sh - branches get the probabilities that were measured, of exact profiles and of samples;
# others keep what GCC guesses, and the output is the same.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

cat >a.c <<'END'
#include <setjmp.h>
#include <stdio.h>
static char text[20000], out[20000];
static jmp_buf again;
__attribute__ ((noipa)) static int measured (const char *s, char *to, char quote)
{
  int depth = 0;
  for (char c; (c = *s); s++)
    if (c == quote)
      depth ^= 1;
    else
      *to++ = c;
  return depth;
}
__attribute__ ((noipa)) static int unknown (int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    if (i % 7 == 3)
      sum ^= i;
  out[0] += sum;
  return sum;
}
__attribute__ ((noipa)) static long jumps (const char *code, long n)
{
  static void *const labels[] = { &&add, &&twice, &&end };
  long sum = 0;
  volatile int back = 0;
  if (setjmp (again))
    back = 1;
  const char *at = code;
  goto *labels[n ? *at % 2 : 2];
add:
  sum += *at;
  goto next;
twice:
  sum += 2 * *at;
next:
  if (++at < code + n)
    goto *labels[*at % 2];
end:
  if (!back)
    longjmp (again, 1);
  return sum;
}
int main (void)
{
  long sum = 0;
  for (int i = 0; i < 19999; i++)
    text[i] = i % 200 ? 'a' + i % 20 : '"';
  for (int i = 0; i < 100; i++)
    sum += measured (text, out, '"') + unknown (5000) + jumps (text, 19999);
  return printf ("%ld\n", sum) < 0;
}
END
# Where the quote is tested: the share of the side that is one of 200.
share () { sed -n '/^;; Function measured /,/^}/p' dumps/*.memprof_use1 | awk '/if \(quote.* == c|c.* == quote/ { getline; gsub (/.*\[|%.*/, ""); print; exit }'; }
build () # OPTION...
{
  rm -rf dumps && mkdir dumps
  compile_use -fdump-tree-all -dumpdir dumps/ -fchecking a.c -o use -fopt-info-all=info "$@"
  same_output ./plain ./use
}
between () { awk -v x="$(share)" -v from="$1" -v to="$2" 'BEGIN { exit !(x >= from && x <= to) }' || fail "$(share) % for $1 to $2"; }

compile_plain a.c -o plain
compile_gen -fprofile-mem-mode=full a.c -o a
run ./a
build
between 0.49 0.51
expect info 'a.c:5:.* optimized: memprof: measured: branch counts: 3 of 3 branches have measured probabilities'
expect info 'a.c:15:.* missed: memprof: unknown: no branch counts: 200 accesses'
for options in -Os -fprofile-mem-use-no=branch-counts '-fprofile-mem-veto=veto'; do
  echo '@branch-counts measured' >veto
  build "$options"
  between 20 60
done
noticed () # FAULT KERNEL
{
  build -fplugin="$(plugin_file)" -fplugin-arg-memprof-fault="$1"
  between 20 60
}
each_fault plugin/faults.def
# Samples; changed code, of which some sites are found again; with GCC's own profile, which wins.
compile_gen a.c -o a
run ./a
build
between 0.4 0.6
sed -i 's/^static char text/static long other;\n&/; s/depth ^= 1/depth ^= 1, other++/' a.c
compile_plain a.c -o plain
build
between 0 1
build -fbranch-probabilities -Wno-missing-profile
expect info 'memprof: measured: no branch counts: GCC has a profile of its own'
