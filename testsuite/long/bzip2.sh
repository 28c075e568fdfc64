#!/bin/sh
# bzip2.sh - bzip2 from Debian's source: profile, validate, rebuild; same output.
. "$(dirname "$0")/real-program.inc"
src=$(source_of bzip2)

build () # KIND FLAGS...
{
  kind=$1; shift
  mkdir "$kind"
  cp "$src"/*.[ch] "$src/Makefile" "$kind"
  make -s -C "$kind" CC="$cc" CFLAGS="-O2 -g -D_FILE_OFFSET_BITS=64 $*" bzip2 >"$kind.log" 2>&1 \
    || { tail -n 20 "$kind.log"; fail "bzip2 does not build ($kind)"; }
  cp "$kind/bzip2" "bzip2.$kind"
}

build plain
build generate -specs="$specs" -fprofile-mem-generate="$work"
mixed_file input 10000000
rm -f *.memprof.json
check_codec ./bzip2.plain ./bzip2.generate input
profile=$work/bzip2.generate.memprof.json
[ -f "$profile" ] || fail "no profile $profile"
"$memprof" validate "$profile" || fail "the profile does not validate"
[ "$(wc -c <"$profile")" -le 4194304 ] || fail "the profile has more than 4 MB"
ok "profile of $(wc -c <"$profile") bytes"
build use -specs="$specs" -fprofile-mem-use="$profile"
check_codec ./bzip2.plain ./bzip2.use input
ok "the rebuilt program gives the same output"
if [ -n "${MEMPROF_TIMES:-}" ]; then
  "$MEMPROF_SRCDIR/testsuite/bench/paired.py" -n 15 --same "./bzip2.plain -c input" "./bzip2.use -c input"
  "$MEMPROF_SRCDIR/testsuite/bench/paired.py" -n 3 --same "./bzip2.plain -c input" "env MPRT_OPTIONS=output=t.json ./bzip2.generate -c input"
fi
