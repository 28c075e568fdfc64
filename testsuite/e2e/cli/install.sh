# cli/install.sh - make install works with DESTDIR, the tree works where it was moved to, uninstall is clean.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

[ -z "${MEMPROF_PREFIX:-}" ] || skip "this is an installed tree"
[ -f "$MEMPROF_BUILDDIR/Makefile" ] || skip "no build tree"
stage=$PWD/stage
make=${MEMPROF_MAKE:-make}
$make -s -C "$MEMPROF_BUILDDIR" install DESTDIR="$stage" >log 2>&1 || { cat log >&2; fail "make install"; }
bin=$(find "$stage" -name memprof -path '*/bin/*')
expect_equal "number of commands installed" "$(echo "$bin" | wc -l)" 1

# The names in the installed files are those of the prefix, not of the stage.
prefix=${bin#"$stage"}; prefix=${prefix%/bin/memprof}
grep -rlF "$stage" "$stage" >bad || true
expect_equal "files that name the stage" "$(cat bad)" ""

# Moved: found by the place of the executable.
XDG_CACHE_HOME=$PWD/cache; export XDG_CACHE_HOME
moved=$PWD/elsewhere
mv "$stage$prefix" "$moved"
specs=$("$moved/bin/memprof" --specs)
expect "$specs" "^-fplugin=$moved/.*/memprof.so "
expect_equal "specs of the second call" "$("$moved/bin/memprof" --specs)" "$specs"
cat >a.c <<'END'
int a[50];
int main (void) { for (int i = 0; i < 50; i++) a[i] = i; return a[49] - 49; }
END
compile_gen a.c -o a
run ./a
expect_json a.memprof.json 'equal(p["run"]["stores"], 50)'
ldd ./a >libs
expect libs "libmemprof_rt.so => $moved/"
rm a.memprof.json
PATH=$("$moved/bin/memprof" --masquerade-dir):$PATH "$moved/bin/memprof-${CC%gcc*}gcc" \
  -fprofile-mem-generate a.c -o b
run ./b
expect_file b.memprof.json

mkdir -p "$(dirname "$stage$prefix")"
rm -rf "$stage$prefix"; mv "$moved" "$stage$prefix"
$make -s -C "$MEMPROF_BUILDDIR" uninstall DESTDIR="$stage" >log 2>&1 || { cat log >&2; fail "make uninstall"; }
find "$stage" ! -type d >left
expect_equal "files left by uninstall" "$(cat left)" ""
