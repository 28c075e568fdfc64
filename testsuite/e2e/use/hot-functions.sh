# use/hot-functions.sh - a function in which the program spends its time gets the options that GCC has for
# measured loops, and its loops the iterations that were measured; other functions, and what the command line
# says, stay as they are.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

cat >a.c <<'END'
#include <stdio.h>
static int a[4096];
__attribute__ ((noinline)) int total (const int *p, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += p[i]; /* long: line 7 */
  return sum;
}
__attribute__ ((noinline)) int few (const int *p, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum ^= p[i]; /* short: line 14 */
  return sum;
}
__attribute__ ((noinline)) int rare (const int *p, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += p[i] * 3; /* seldom: line 21 */
  return sum;
}
__attribute__ ((noinline)) int last (const int *p, int n)
{
  int at;
  for (int i = 0; i < n; i++)
    if (p[i])
      at = i; /* GCC warns late */
  return at;
}
int main (void)
{
  long sum = rare (a, 100);
  for (int i = 0; i < 4096; i++)
    a[i] = i * i;
  for (int i = 0; i < 300; i++)
    sum += total (a, 4096 - i) + last (a, 4096 - i);
  for (int i = 0; i < 100000; i++)
    sum += few (a + i % 4000, 3);
  return printf ("%ld\n", sum) < 0;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a
rebuild () # VECTORS OPTION...: 1 or 0 for the loops of total, few and rare
{
  expected=$1
  shift
  rm -f info
  compile_use a.c -o use -fprofile-mem-use-no=prefetch,versioning "$@" -fopt-info-all=info
  same_output ./plain ./use
  expect_equal "vectors with $*" "$(for line in 6 13 20; do
    grep -c "a.c:$line:.* loop vectorized" info || :
  done | tr -d '\n')" "$expected"
}
# The size of a function that is not hot, calls no hot one, and comes after two of them.
cold () { objdump -t use | awk '$NF ~ /^rare/ { print $(NF - 1) }'; }
rebuild 100
cold >among_hot
expect info 'a.c:3:32: optimized: memprof: total: hot function: its loops are compiled as with .* iterations per entry'
expect info 'missed: memprof: rare: not a hot function: 100 accesses'
rebuild 000 -fprofile-mem-use-no=prefetch,versioning,hot-functions
expect among_hot .
expect_equal "size of a cold function" "$(cat among_hot)" "$(cold)"
rebuild 000 -fno-tree-vectorize
rebuild 000 -Os
expect info 'memprof: total: not a hot function: it is compiled for size'
echo '@hot-functions total' >veto.txt
rebuild 000 -fprofile-mem-veto=veto.txt
expect info 'memprof: total: not a hot function: vetoed by veto.txt:1'
"$memprof" advise --all a.memprof.json >advice
expect advice '^hot functions: 3 of 5 executed functions'
# Late warnings about a hot function are the plain build's.
expect_equal "warnings" "$("$CC" -specs="$specs" -O2 -g -Wall -fprofile-mem-use -c a.c 2>&1)" ""
"$CC" -specs="$specs" -O2 -g -Wall -fprofile-mem-use -fprofile-mem-use-no=hot-functions -c a.c 2>warnings
expect warnings "'at' may be used uninitialized"
noticed () # FAULT KERNEL
{
  rebuild 110 -fplugin="$(plugin_file)" -fplugin-arg-memprof-fault="$1"
}
each_fault plugin/faults.def
