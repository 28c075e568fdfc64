#!/bin/sh
# module-lines.sh - lines of logic of each profiling module: those of its files
# without comments, blank lines and includes.
# SPDX-License-Identifier: GPL-3.0-or-later
cd "$(dirname "$0")/../../runtime/backend/modules" || exit
for name in $(ls ./*.cc | sed 's/^\.\///; s/\.cc$//'); do
  printf '%5d  %s\n' \
    "$(cat "$name.cc" | grep -v '^ *//' | grep -v '^#' | grep -vc '^ *$')" "$name"
done
