#!/bin/sh
# export-pprof.sh - go tool pprof reads memprof export --as=pprof: totals, lines, labels.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs Debian's golang-go or golang-1.19-go.
. "$(dirname "$0")/real-program.inc"
fail () { echo "export-pprof: FAILED: $*" >&2; exit 1; }
go=$(command -v go || ls /usr/lib/go-*/bin/go 2>/dev/null | tail -n 1)
[ -n "$go" ] || { echo "SKIP: go is not installed" >&2; exit 77; }

cp "$MEMPROF_SRCDIR/examples/hashjoin.c" .
"$cc" -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full hashjoin.c -o hashjoin
./hashjoin 14 >/dev/null
"$memprof" export --as=pprof hashjoin.memprof.json -o p.pb
loads=$("${MEMPROF_PYTHON:-python3}" -c '
import json
print(json.load(open("hashjoin.memprof.json"))["run"]["loads"])')
"$go" tool pprof -sample_index=loads -top p.pb >top 2>top.err || fail "$(cat top.err)"
grep -q "of $loads total" top || fail "not $loads loads: $(cat top)"
"$go" tool pprof -sample_index=loads -tags p.pb >tags 2>/dev/null
grep -q 'outer\[i\]' tags || fail "no label of an expression: $(cat tags)"
"$go" tool pprof -sample_index=stores -list=main p.pb >list 2>/dev/null
grep -Eq ' table\[h\]\.key = keys\[i\];' list || fail "no source lines: $(head -n 20 list)"
echo "export-pprof: $loads loads"
