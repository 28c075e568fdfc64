# verify-field-order.sh - memprof verify of a program whose fields are moved; what it
# would write into the veto file for them is obeyed.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cp "$MEMPROF_SRCDIR/testsuite/bench/programs/orderbook.c" .
compile_plain orderbook.c -o plain
compile_gen orderbook.c -o orderbook
run ./orderbook 20000 7 20
status=0
"$memprof" verify --json --rounds 3 --tolerance 900 \
  --build "$CC -specs=$specs -O2 -g -fprofile-mem-use -fprofile-mem-move-fields orderbook.c -o orderbook" \
  -- ./orderbook 1000 3 2 >out 2>err || status=$?
expect_equal "exit status" "$status" 0
"$PYTHON" -c 'import json, sys
v = json.load(sys.stdin)
rows = {r["name"]: r for r in v["transformations"]}
assert rows["field-order"]["taken"] == 2 and v["vetoes"] == [], v' <out || fail "JSON: $(cat out)"
passed  # the fields of the type, the prefetch in its loop
same_output ./plain ./orderbook 1000 3 2
echo '@field-order struct order' >veto
compile_use orderbook.c -o use -fprofile-mem-move-fields -fprofile-mem-veto=veto -fprofile-mem-remarks=remarks
expect remarks '"function":"struct order","kind":"field-order","taken":false,"reason":"vetoed"'
same_output ./plain ./use 1000 3 2
