#!/bin/sh
# match-functions.sh - sqlite3 and lua5.4, plain and -flto: the generate and the
# use compile see the same functions with the same sites at the matching point.
. "$(dirname "$0")/real-program.inc"
sqlite=$(source_of sqlite3)
lua=$(source_of lua5.4)

plugin=$(sed -n 's/^-fplugin=\([^ ]*\).*/\1/p' "$specs" | sed "s/%(version)/$("$cc" -dumpfullversion)/")

keys () # NAME FLAGS... -- SOURCES...: dumps of both compiles must be equal
{
  name=$1; shift
  for half in generate use; do
    rm -f "$name.$half"
    # GCC wants a plugin in front of its arguments.
    "$cc" -fplugin="$plugin" -fplugin-arg-memprof-dump-keys="$work/$name.$half" \
      -specs="$specs" -O2 -w "$@" -fprofile-mem-$half -o "$name.$half.out" \
      || fail "$name does not compile ($half)"
    sort "$name.$half" >"$name.$half.sorted"
  done
  total=$(wc -l <"$name.use.sorted")
  same=$(comm -12 "$name.generate.sorted" "$name.use.sorted" | wc -l)
  [ "$total" -gt 100 ] || fail "$name: only $total functions"
  [ "$same" = "$total" ] && [ "$total" = "$(wc -l <"$name.generate.sorted")" ] \
    || { diff "$name.generate.sorted" "$name.use.sorted" | head -n 20; fail "$name: $same of $total functions match"; }
  ok "$name: all $total functions match"
}

if [ ! -f "$sqlite/sqlite3.c" ]; then
  mkdir -p "$MEMPROF_SOURCES/sqlite3-amalgamation"
  [ -f "$MEMPROF_SOURCES/sqlite3-amalgamation/sqlite3.c" ] || {
    command -v tclsh >/dev/null || { echo "SKIP: no tclsh to make sqlite3.c" >&2; exit 77; }
    (cd "$MEMPROF_SOURCES/sqlite3-amalgamation" && "$sqlite/configure" -q >/dev/null 2>&1 && make -s sqlite3.c shell.c >/dev/null 2>&1) \
      || fail "sqlite3.c cannot be made"
  }
  sqlite=$MEMPROF_SOURCES/sqlite3-amalgamation
fi
sqlite_sources="$sqlite/sqlite3.c $sqlite/shell.c -I$sqlite"
# Debian's build makes this header.
echo '#define DEB_HOST_MULTIARCH "any"' >lua5.4-deb-multiarch.h
lua_sources=$(ls "$lua"/src/*.c | grep -v -e luac.c -e ltests.c)
keys sqlite3 $sqlite_sources -lm -ldl -lpthread
keys lua $lua_sources -I"$lua/src" -I. -DLUA_USE_POSIX -lm
keys lua-lto -flto $lua_sources -I"$lua/src" -I. -DLUA_USE_POSIX -lm
keys sqlite3-lto -flto $sqlite_sources -lm -ldl -lpthread
