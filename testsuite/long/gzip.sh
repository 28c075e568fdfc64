#!/bin/sh
# gzip.sh - gzip from Debian's source: profile, validate, rebuild; same output.
. "$(dirname "$0")/real-program.inc"
src=$(source_of gzip)

build () # KIND FLAGS...
{
  kind=$1; shift
  mkdir "$kind"
  (cd "$kind" && MPRT_OPTIONS=off=1 && export MPRT_OPTIONS \
     && CC="$cc" CFLAGS="-O2 -g $*" "$src/configure" -q \
     && make -s -j2 MAKEINFO=true) >"$kind.log" 2>&1 || { tail -n 20 "$kind.log"; fail "gzip does not build ($kind)"; }
  cp "$kind/gzip" "gzip.$kind"
}

build plain
build generate -specs="$specs" -fprofile-mem-generate="$work"
mixed_file input 10000000
rm -f *.memprof.json
check_codec ./gzip.plain ./gzip.generate input
profile=$work/gzip.generate.memprof.json
[ -f "$profile" ] || fail "no profile $profile"
"$memprof" validate "$profile" || fail "the profile does not validate"
[ "$(wc -c <"$profile")" -le 4194304 ] || fail "the profile has more than 4 MB"
ok "profile of $(wc -c <"$profile") bytes"
build use -specs="$specs" -fprofile-mem-use="$profile"
check_codec ./gzip.plain ./gzip.use input
ok "the rebuilt program gives the same output"
if [ -n "${MEMPROF_TIMES:-}" ]; then
  "$MEMPROF_SRCDIR/testsuite/bench/paired.py" -n 15 --same "./gzip.plain -c input" "./gzip.use -c input"
  "$MEMPROF_SRCDIR/testsuite/bench/paired.py" -n 3 --same "./gzip.plain -c input" "env MPRT_OPTIONS=output=t.json ./gzip.generate -c input"
fi
