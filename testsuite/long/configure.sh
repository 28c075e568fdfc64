#!/bin/sh
# configure.sh - a configure script does not notice the profiler: gzip's finds
# the same config.h with -fprofile-mem-generate as without.
. "$(dirname "$0")/real-program.inc"
src=$(source_of gzip)

for kind in plain generate; do
  flags=
  [ $kind = plain ] || flags="-specs=$specs -fprofile-mem-generate=$work/profiles"
  mkdir -p $kind profiles
  (cd $kind && CC="$cc" CFLAGS="-O2 $flags" "$src/configure" -q >configure.log 2>&1) \
    || { tail -n 20 $kind/configure.log; fail "configure ($kind)"; }
done
[ "$(grep -c '^#define' plain/lib/config.h)" -gt 50 ] || fail "config.h has hardly any defines"
diff plain/lib/config.h generate/lib/config.h || fail "config.h differs"
ok "same config.h ($(grep -c '^#define' plain/lib/config.h) defines)"
