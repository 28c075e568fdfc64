# documented.sh - what can be typed is written down, and links lead somewhere.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Compares the tables that the programs are made from with the pages: options of
# the command with memprof(1), options of the compiler, keys of MPRT_OPTIONS and
# profiling modules with doc/options.md.  Files that pages name exist.
set -eu
LC_ALL=C; export LC_ALL
src=${MEMPROF_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${MEMPROF_BUILDDIR:-$src/build}
memprof=$build/memprof
[ -x "$memprof" ] || { echo "documented: $memprof is missing" >&2; exit 99; }

checks=0 failures=0
# need WHAT FILE TEXT
need ()
{
  checks=$((checks + 1))
  grep -qF -e "$3" "$2" && return
  echo "documented: $1: '$3' is not in $2" >&2
  failures=$((failures + 1))
}

# The manual page without its dashes and fonts: "\-\-top=\fIN\fR" -> "--top=N".
page=$(mktemp); trap 'rm -f "$page"' EXIT
sed -e 's/\\-/-/g' -e 's/\\f[BIR]//g' -e 's/^\.[BI] //' "$src/doc/memprof.1.in" >"$page"

options_of () { "$memprof" "$@" --help | sed -n 's/^  \(--[a-z-]*=\{0,1\}[A-Z]*\).*/\1/p'; }
commands=$("$memprof" --help | sed -n 's/^  \([a-z]\{1,\}\) \{2,\}.*/\1/p')
[ -n "$commands" ] || { echo "documented: no commands in --help" >&2; exit 99; }
for o in $(options_of); do need "memprof --help" "$page" "$o"; done
for c in $commands; do
  need "memprof --help" "$page" "memprof $c"
  for o in $(options_of "$c"); do need "memprof $c --help" "$page" "$o"; done
done

# The same for memprof-backend(1).
sed -e 's/\\-/-/g' -e 's/\\f[BIR]//g' "$src/doc/memprof-backend.1.in" >"$page"
for o in $("$build/memprof-backend" --help | grep -o -e '^  --[a-z]*'); do
  need "memprof-backend --help" "$page" "$o"
done

# And for memprof-mpi-merge(1), where it is built.
if [ -x "$build/memprof-mpi-merge" ]; then
  sed -e 's/\\-/-/g' -e 's/\\f[BIR]//g' -e 's/^\.[BI] //' "$src/doc/memprof-mpi-merge.1.in" >"$page"
  for o in $("$build/memprof-mpi-merge" --help | grep -o -e '^  --[a-z-]*'); do
    need "memprof-mpi-merge --help" "$page" "$o"
  done
fi

options=$src/doc/options.md
for o in $(grep -o -e 'fprofile-mem-[a-z-]*' "$src/plugin/memprof.specs.in" | sort -u); do
  need "memprof.specs" "$options" "\`-$o"
done
for k in $(sed -n 's/^MPRT_OPTION (\([a-z_]*\),.*/\1/p' "$src/runtime/wire/options.def"); do
  need "options.def" "$options" "\`$k="
done
for call in $(grep -rohw 'SYS_[a-z0-9_]*' "$src"/runtime/target | sort -u); do
  need "runtime/target" "$src/doc/system-calls.md" "\`${call#SYS_}\`"
done
for m in $(sed -n 's/^MODULE ("\([a-z_]*\)".*/\1/p' "$src/runtime/wire/modules.def"); do
  need "modules.def" "$options" "\`$m\`"
done

# Links between pages.
for f in "$src"/README.md "$src"/HACKING.md "$src"/doc/*.md; do
  [ -f "$f" ] || continue
  # Files and folders that a page names, from the top; NAME represents a name to choose, and
  # a "New file" is one that the reader makes.
  for l in $(grep -v 'New file' "$f" | grep -oE '`(plugin|runtime|feedback|consumers|testsuite|doc|m4|examples)/[a-z/0-9_.-]+[`:]' \
             | tr -d '`:'); do
    checks=$((checks + 1))
    [ -e "$src/$l" ] && continue
    echo "documented: $f names $l, which does not exist" >&2
    failures=$((failures + 1))
  done
  # Not in code: a lambda looks like a link.
  for l in $(sed '/^ *```/,/^ *```/d' "$f" | grep -o ']([^)# ]*' | sed 's/^](//'); do
    case $l in http*|'') continue ;; esac
    checks=$((checks + 1))
    [ -e "$(dirname "$f")/$l" ] && continue
    echo "documented: $f links to $l, which does not exist" >&2
    failures=$((failures + 1))
  done
done

[ "$checks" -gt 40 ] || { echo "documented: only $checks checks" >&2; exit 99; }
[ "$failures" = 0 ] || exit 1
echo "documented: $checks checks passed"
