# cli/doctor.sh - memprof doctor finds this tree in good health, and says what is wrong.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

s=0; "$memprof" doctor --compiler="$CC" >out 2>err || s=$?
cat out
expect_equal "exit status of doctor" $s 0
expect out '^plugin loads +ok'
expect out '^whole way +ok +a test program gave a profile of [0-9,]+ accesses'
run -s 1 "$memprof" doctor --compiler=/no/such/gcc
expect out '^compiler +FAILED +/no/such/gcc: No such file'
run "$memprof" doctor --compiler="$CC" --json
"$PYTHON" -c 'import json, sys; assert len(json.load(sys.stdin)["checks"]) > 8' <out
passed
