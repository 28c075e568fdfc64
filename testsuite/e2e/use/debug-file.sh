# debug-file.sh - decisions of a stripped program are found in its separate debug file: by the link in the
# program, and by its build id from a server of debug files.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cp "$MEMPROF_SRCDIR/examples/hashjoin.c" a.c
compile_gen a.c -o a
run ./a 14
compile_use -Wl,--build-id a.c -o b
run "$memprof" advise --json --decisions=b a.memprof.json
cp out wanted
objcopy=$($CC -print-prog-name=objcopy) strip=$($CC -print-prog-name=strip)
"$objcopy" --only-keep-debug b b.debug
"$strip" --remove-section=.memprof.remarks b
run -s 2 "$memprof" advise --json --decisions=b a.memprof.json
expect err 'b: has no decisions: .* and no debug file'

# .gnu_debuglink: beside the program, or in .debug.
"$objcopy" --add-gnu-debuglink=b.debug b
run "$memprof" advise --json --decisions=b a.memprof.json
cmp out wanted || fail "other decisions"
mkdir .debug && mv b.debug .debug/
run "$memprof" advise --json --decisions=b a.memprof.json
cmp out wanted || fail "other decisions from .debug"

# The debug file of another build is not taken.
compile_use -Wl,--build-id=0x1234 a.c -o other
"$objcopy" --only-keep-debug other .debug/b.debug
run -s 2 "$memprof" advise --json --decisions=b a.memprof.json

# debuginfod-find is asked if there are servers.
"$objcopy" --remove-section=.gnu_debuglink b
compile_use -Wl,--build-id a.c -o c
"$objcopy" --only-keep-debug c kept
mkdir bin
printf '#!/bin/sh\n[ "$1" = debuginfo ] && [ ${#2} = 40 ] && echo "%s"\n' "$PWD/kept" >bin/debuginfod-find
chmod +x bin/debuginfod-find
run -s 2 "$memprof" advise --json --decisions=b a.memprof.json
run env PATH="$PWD/bin:$PATH" DEBUGINFOD_URLS=http://localhost "$memprof" advise --json --decisions=b a.memprof.json
cmp out wanted || fail "other decisions from a server"
passed
