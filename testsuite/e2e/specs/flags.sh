# specs/flags.sh - each -fprofile-mem-* option becomes an argument of the plugin.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

echo 'int main (void) { return 0; }' >a.c

# arguments GCC-OPTION...: what the compiler proper gets, one argument a line.
arguments ()
{
  "$CC" -specs="$specs" "$@" -### -c a.c 2>log || { cat log >&2; fail "refused: $*"; }
  grep 'cc1' log | tr ' ' '\n' | sed -n 's/^"*\(-fplugin[^"]*\)"*$/\1/p' >args
}

arguments -fprofile-mem-generate
expect args '^-fplugin=/.*/memprof\.so$'
expect args '^-fplugin-arg-memprof-backend=/.*/memprof-backend$'
expect args '^-fplugin-arg-memprof-generate$'
expect_not args 'memprof-(use|dir)'
arguments -fprofile-mem-generate=out
expect args '^-fplugin-arg-memprof-generate$'
expect args '^-fplugin-arg-memprof-dir=out$'
for f in modules=a,b mode=full include=x exclude=y alloc-fn=f:1; do
  arguments -fprofile-mem-generate -fprofile-mem-$f
  expect args "^-fplugin-arg-memprof-$f\$"
done

arguments -fprofile-mem-use
expect args '^-fplugin-arg-memprof-use$'
expect_not args 'memprof-(generate|profile)'
arguments -fprofile-mem-use=p.json
expect args '^-fplugin-arg-memprof-profile=p.json$'
for f in include=x exclude=y move-fields use-no=prefetch veto=v remarks=r; do
  arguments -fprofile-mem-use -fprofile-mem-$f
  expect args "^-fplugin-arg-memprof-$f\$"
  expect args '^-fplugin-arg-memprof-use$'
done

# Without any of them, the specs file changes nothing.
arguments -O2
expect_equal "arguments without a flag" "$(cat args)" ""
