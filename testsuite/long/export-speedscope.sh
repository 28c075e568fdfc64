#!/bin/sh
# export-speedscope.sh - speedscope's own importer reads memprof export --as=speedscope, folded.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Debian has no flamegraph.pl; speedscope reads its input, too. Needs npm and its registry, and Debian's chromium, chromium-driver and python3-selenium.
. "$(dirname "$0")/real-program.inc"
skip () { echo "SKIP: $*" >&2; exit 77; }
fail () { echo "export-speedscope: FAILED: $*" >&2; exit 1; }
for tool in chromium chromedriver npm; do
  command -v $tool >/dev/null || skip "$tool is not installed"
done
/usr/bin/python3 -c 'import selenium' 2>/dev/null || skip "python3-selenium is not installed"
npm install --silent --prefix npm speedscope@1 >/dev/null 2>&1 || skip "npm has no speedscope"

cp "$MEMPROF_SRCDIR/examples/hashjoin.c" .
"$cc" -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full hashjoin.c -o hashjoin
./hashjoin 16 >/dev/null
"$memprof" export --as=speedscope hashjoin.memprof.json -o hashjoin.speedscope.json
"$memprof" export --as=folded hashjoin.memprof.json -o hashjoin.folded
timeout 300 /usr/bin/python3 "$MEMPROF_SRCDIR/testsuite/long/export_speedscope.py" npm/node_modules/speedscope \
  hashjoin.memprof.json hashjoin.speedscope.json hashjoin.folded || fail "speedscope shows something else"
