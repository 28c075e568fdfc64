#!/bin/sh
# streams-expand.sh [NAME...] - whole streams of real programs give back every access: `memprof
# streams --expand' and a recording of the same run are equal, byte for byte.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# gzip and lua5.4 are Debian's sources; health is testsuite/bench/kernels/health.c, with more than
# 10^8 accesses. The two texts have some GB each, so they meet in pipes and are never in a file. A last
# comparison, of a text with one access changed, shows that a difference would be seen.
. "$(dirname "$0")/real-program.inc"
backend=$MEMPROF_BUILDDIR/memprof-backend
generate="-specs=$specs -O2 -g -w -fprofile-mem-generate -fprofile-mem-modules=whole_stream"

compile () # NAME
{
  MPRT_OPTIONS=off=1; export MPRT_OPTIONS
  case $1 in
    gzip) build_program gzip generate -specs="$specs" -fprofile-mem-generate -fprofile-mem-modules=whole_stream
	  mv gzip.generate gzip ;;
    lua)
      lua_source=$(source_of lua5.4) || exit
      mkdir -p lua.include
      echo '#define LUA_MULTIARCH "any"
#define DEB_HOST_MULTIARCH "any"' >lua.include/lua5.4-deb-multiarch.h
      set --
      for f in "$lua_source"/src/*.c; do case $f in */luac.c) ;; *) set -- "$@" "$f" ;; esac; done
      # shellcheck disable=SC2086
      "$cc" $generate -DLUA_USE_POSIX -Ilua.include "$@" -o lua -lm ;;
    health)
      # shellcheck disable=SC2086
      "$cc" $generate "$MEMPROF_SRCDIR/testsuite/bench/kernels/health.c" -o health ;;
  esac
  unset MPRT_OPTIONS
}

execute () # NAME
{
  case $1 in
    gzip) ./gzip -c input ;;
    lua) ./lua script.lua ;;
    health) ./health 6 400 ;;
  esac >/dev/null
}

equal () # FILTER...: of what is expanded
{
  rm -f pipe expanded
  mkfifo pipe expanded
  "$backend" --accesses record >pipe &
  recorded=$!
  "$memprof" streams --expand p.memprof.json >expanded &
  "$@" <expanded | cmp pipe - || return 1
  wait "$recorded" && wait $!
}

check () # NAME LEAST
{
  compile "$1" || fail "$1 does not compile"
  MPRT_OPTIONS=file=record:modules=whole_stream execute "$1" || fail "$1 fails"
  "$backend" --from record --output p.memprof.json || fail "$1: no profile"
  accesses=$("$memprof" streams --sizes p.memprof.json | sed -n '1s/ accesses.*//p' | tr -d ,)
  [ "$accesses" -ge "$2" ] || fail "$1: only $accesses accesses"
  equal cat || fail "$1: other accesses than were recorded"
  [ "$1" != gzip ] || ! equal sed '100000s/$/0/' 2>/dev/null || fail "a wrong address was not noticed"
  rm -f record p.memprof.*
  ok "$1: $accesses accesses, equal"
}

head -c 200000 "$MEMPROF_SRCDIR/COPYING" >input
cat >script.lua <<'END'
local t = {}
for i = 1, 4000 do t[i] = tostring((i * 7919) % 10009) end
table.sort(t)
local words = {}
for r = 1, 3 do
  for i, s in ipairs(t) do words[s] = (words[s] or "") .. i % 7 end
end
END
for name in ${*:-gzip lua health}; do
  case $name in
    health) check health 100000000 ;;
    *) check "$name" 500000 ;;
  esac
done
