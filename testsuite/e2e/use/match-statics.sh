# use/match-statics.sh - that a callee is instrumented does not change what GCC
# knows about static variables in its callers.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
static int heap[100], length;
__attribute__ ((noinline)) void callee (int i)
{
  length += heap[i];
  heap[i * 3 % 100] = length;
}
__attribute__ ((noinline)) int caller (int *p, int n)
{
  heap[n] = 1;
  length = 2;
  *p = 3;
  return heap[n] + length;
}
int main (int argc, char **argv)
{
  int x;
  callee (argc);
  return caller (&x, argc) - 3;
}
END
plugin=$(plugin_file)
[ -f "$plugin" ] || harness_error "no plugin in $specs"
for half in generate use; do
  compile -O2 -c a.c -fplugin="$plugin" -fplugin-arg-memprof-$half \
    -fplugin-arg-memprof-backend=/none -fplugin-arg-memprof-dump-keys=$half
  sort $half >$half.sorted
done
expect use.sorted '^caller '
cmp generate.sorted use.sorted || fail "the keys of some function differ"
passed
