# ccache beside memprof: it neither breaks a build nor mixes up its objects.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
need ccache
CCACHE_DIR=$PWD/cache; export CCACHE_DIR
COMPILER="ccache $CC"
cat >a.c <<'END'
int a[20];
int main (void) { for (int i = 0; i < 20; i++) a[i] = i; return a[19] - 19; }
END
# Twice: the second round may come from the cache.
for round in 1 2; do
  compile_plain -c a.c -o plain.o
  compile_gen -c a.c -o gen.o
  compile_use -c a.c -o use.o
  nm gen.o >gen.nm; nm use.o >use.nm; nm plain.o >plain.nm
  expect gen.nm __mprt_
  expect_not use.nm __mprt_
  expect_not plain.nm __mprt_
  rm -f ./*.memprof.json
  compile_gen gen.o -o a
  run ./a
  expect_json a.memprof.json 'equal(p["run"]["stores"], 20)'
done
# Another profile, another object: the remark comes from this compile.
compile_use -c a.c -o use.o -Wmissing-profile 2>err
expect_not err missing-profile
rm a.memprof.json
compile_use -c a.c -o use.o -Wmissing-profile 2>err
expect err missing-profile
