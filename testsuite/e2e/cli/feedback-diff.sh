# feedback-diff.sh - memprof diff: overlaps, threshold, the sites that differ.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

golden=$MEMPROF_SRCDIR/testsuite/golden/v1/every-field.json
run "$memprof" diff --threshold=100 "$golden" "$golden"
expect out '^executions +100\.0 %$'
expect out '^functions in both: 100\.0 %$'
expect_not out 'differs most'

# 25 and 75 executions against 50 and 50: they share 75 %.
counts ()
{
  sed -e "s/\"executions\":\"0x1000000000000014\"/\"executions\":$1/" \
      -e "s/\"q\[i\]\",\"executions\":12/\"q[i]\",\"executions\":$2/" \
      -e "s/\"r\[i\]\",\"executions\":4/\"r[i]\",\"executions\":0/" "$golden"
}
counts 25 75 >a.json
counts 50 50 >b.json
run "$memprof" diff --threshold=75 a.json b.json
expect out '^executions +75\.0 %$'
expect out '^ +25 +50 +h.h:5:7, f\(int\)$'
run -s 1 "$memprof" diff --threshold=76 a.json b.json
run "$memprof" diff --json a.json b.json
expect out '"executions": 0.75'

# Nothing in common: another function.
sed 's/"checksum":3735928559/"checksum":7/' a.json >c.json
run -s 1 "$memprof" diff --threshold=1 a.json c.json
expect out '^strides +0\.0 %$'
expect out '^functions in both: 0\.0 %$'

run -s 2 "$memprof" diff a.json none.json
expect err '^memprof: none.json: '
run -s 2 "$memprof" diff a.json
expect err 'diff: expected PROFILE PROFILE'
run -s 2 "$memprof" diff --threshold=101 a.json b.json
expect err 'threshold: expected a number from 0 to 100'
