# verify-make.sh - memprof verify of a program that make builds, with the profile.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need make
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/gather.c" a.c
compile_gen a.c -o a
run ./a
printf 'a: a.c\n\t%s -specs=%s -O2 -fprofile-mem-use a.c -o a\n' "$CC" "$specs" >Makefile
status=0
"$memprof" verify --json --report=a.memprof.json --rounds 3 --tolerance 900 --build 'make -B' -- ./a >out 2>err || status=$?
expect_equal "exit status" "$status" 0
"$PYTHON" -c 'import json, sys
v = json.load(sys.stdin)
rows = {r["name"]: r for r in v["transformations"]}
assert rows["prefetch"]["taken"] == 1 and rows["huge-pages"]["taken"] == 2, v
assert rows["branch-counts"]["taken"] == rows["hot-functions"]["taken"] == 1, v
assert rows["all"]["taken"] == 5 and v["builds"] == 7 and v["vetoes"] == [], v' <out || fail "JSON: $(cat out)"
passed
# The page has what was measured, and the decisions of the compile.
expect a.memprof.html '"name": "prefetch", "taken": 1, "gain": '
expect a.memprof.html '"compiled": true'
# make without -B links the program, but compiles nothing.
printf 'a: a.o\n\t%s a.o -o a\na.o: a.c\n\t%s -specs=%s -O2 -fprofile-mem-use -c a.c\n' \
  "$CC" "$CC" "$specs" >Makefile
make -s a
run -s 2 "$memprof" verify --rounds 3 --build 'make' -- ./a
expect err 'must compile all'
