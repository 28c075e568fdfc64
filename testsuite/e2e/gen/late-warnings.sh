# gen/late-warnings.sh - GCC says no more about variables of an instrumented program that may be uninitialised than about
# those of the plain one: a build with -Werror that succeeds does so with instrumentation.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
__attribute__ ((noinline)) static int sum (const int *a, int n)
{
  int s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
int some (int n, char *p)
{
  int values[4], last;
  if (n > 2) last = n;
  for (int i = 0; i < n; i++) p[i] = i;
  return sum (values, 4) + (n > 1 ? last : 0);
}
END
warnings_of () # OPTION...
{
  $CC -O2 -g -Wall -Wextra "$@" -c a.c -o a.o 2>err || fail "this did not compile"
  grep -c 'warning:' err || true
}
plain=$(warnings_of)
[ "$plain" -ge 2 ] || fail "$plain warnings of the plain compile"
for mode in sample full; do
  found=$(warnings_of -specs="$specs" -fprofile-mem-generate -fprofile-mem-mode=$mode)
  [ "$found" -le "$plain" ] || fail "$mode: $found warnings, not $plain: $(cat err)"
  passed
done
