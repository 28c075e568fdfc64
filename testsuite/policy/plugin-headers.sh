#!/bin/sh
# plugin-headers.sh - each header of plugin/ can be included first.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A header compiles by itself after gcc-common.h, which is compiled once for all of
# them.  A header with standard containers, for the other side of the bridge to
# feedback, compiles by itself without GCC's headers.
set -eu
srcdir=${MEMPROF_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cxx=${MEMPROF_HOST_CXX:-${MEMPROF_CXX:-g++}}
gcc_headers=$(${MEMPROF_CC:-gcc} -print-file-name=plugin)/include
[ -f "$gcc_headers/gcc-plugin.h" ] || { echo "SKIP: no headers of GCC" >&2; exit 77; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/memprof-headers.XXXXXX")
trap 'rm -rf "$dir"' EXIT
# compile ARG...: with the language options of plugin/local.mk.
compile () { $cxx -std=c++20 -fno-rtti -fno-exceptions -isystem "$gcc_headers" -I"$srcdir" "$@"; }
echo '#include "plugin/gcc-common.h"' >"$dir/first.h"
compile -x c++-header "$dir/first.h" -o "$dir/first.h.gch"

# fails HEADER: it does not compile by itself.
fails ()
{
  # code_facts.h is plain data, for both halves.
  if grep -v '"consumers/decide/code_facts.h"' "$1" \
     | grep -q '^#include \(<\|"feedback/\|"consumers/\)'
  then : >"$dir/t.cc"
  else echo '#include "first.h"' >"$dir/t.cc"
  fi
  # Twice: it has an include guard.
  printf '#include "%s"\n#include "%s"\n' "$1" "$1" >>"$dir/t.cc"
  ! compile -fsyntax-only "$dir/t.cc" 2>"$dir/log"
}

headers=0 failures=0
for h in $(find "$srcdir/plugin" -name '*.h' | sort); do
  headers=$((headers + 1))
  ! fails "$h" || { cat "$dir/log" >&2; failures=$((failures + 1)); }
done
[ "$headers" -gt 40 ] || { echo "plugin-headers: only $headers headers" >&2; exit 99; }
# The check sees a header that needs another one.
echo 'inline bool f (const memprof::plugin::function_key &);' >"$dir/bad.h"
fails "$dir/bad.h" || { echo "plugin-headers: a bad header passes" >&2; exit 99; }
echo "plugin-headers: $headers headers, $failures faults"
[ "$failures" = 0 ]
