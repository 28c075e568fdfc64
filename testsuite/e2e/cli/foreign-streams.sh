# foreign-streams.sh - a stream goes into a new file, and says nothing about other files.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$MEMPROF_BUILDDIR/memprof-backend
[ -x "$backend" ] || skip "memprof-backend is not in the build folder"

printf 'int v[9];\nint main (void) { for (int i = 0; i < 9; i++) v[i] += i; return 0; }\n' >a.c
compile_gen a.c -o a
echo 'notes of mine' >notes

# A stream that is there is written anew; a link to one, or what is none, is not.
run -o file=S ./a; run -o file=S ./a
ln -s S link; mkfifo fifo; ln S hard; cp S copy
for name in notes link fifo hard; do
  run -o file=$name timeout 20 ./a
  expect err 'nothing is recorded'
done
expect_equal "notes" "$(cat notes)" 'notes of mine'
cmp S copy || fail "written through a link"
# What a stream says about where files go is not obeyed.
rm S hard
run -o file=S:output=there.json:report=said ./a
run "$backend" --from S
validate a.memprof.json
run "$backend" --from S --output x.json
validate x.json
[ ! -e there.json ] && [ ! -e said ] || fail "a stream said where its profile goes"

# A thread has no number that is too large for a table by threads.
"$PYTHON" - S bad <<'END'
import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
at = 16 + struct.unpack_from("<I", b, 12)[0]
while at + 16 <= len(b):
    struct.pack_into("<I", b, at + 4, 0xffffffff)
    at += 16 + struct.unpack_from("<I", b, at + 12)[0]
open(sys.argv[2], "wb").write(b)
END
run -s 1 "$backend" --from bad --output bad.json
expect err 'the stream is not complete'
passed
