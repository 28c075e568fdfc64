#!/bin/sh
# module-lines.sh - lines of logic of each profiling module: those of its files
# without comments, blank lines and includes.
# SPDX-License-Identifier: GPL-3.0-or-later
cd "$(dirname "$0")/../../runtime/backend/modules" || exit
files=$(find . -name '*.cc' | sed 's/^\.\///' | sort)
[ -n "$files" ] || { echo "module-lines: no modules in $PWD" >&2; exit 1; }
for file in $files; do
  printf '%5d  %s\n' "$(grep -v '^ *//' "$file" | grep -v '^#' | grep -vc '^ *$')" "${file%.cc}"
done
