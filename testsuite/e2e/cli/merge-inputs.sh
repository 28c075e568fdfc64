# merge-inputs.sh - memprof merge: lists, weights, bad inputs, two merges into one file.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

golden=$MEMPROF_SRCDIR/testsuite/golden/v1/every-field.json
make_invalid_profiles
cp "$golden" a.json
sed 's/"runs":2/"runs":5/' a.json >b.json
"$memprof" merge a.json a.json a.json b.json -o wanted.json

printf '# a comment\n\n3,a.json\nb.json\n' >list
run "$memprof" merge --input-files=list; cmp out wanted.json; passed
run "$memprof" merge --input-files=- <list; cmp out wanted.json; passed
run "$memprof" merge b.json --weighted-input=1,a.json --weighted-input 2,a.json
cmp out wanted.json; passed
for threads in 1 2 5; do
  yes a.json | head -n 40 | "$memprof" merge --num-threads=$threads --input-files=- -o $threads.out
done
"$memprof" merge --weighted-input=40,a.json -o weighted.json
cmp 1.out 2.out && cmp 1.out 5.out && cmp 1.out weighted.json || fail "threads change the sum"
usage () { run -s 2 "$memprof" merge "$@"; expect_equal "lines" "$(wc -l <err)" 1; }
usage; expect err 'no profile was named'
usage --weighted-input=0,a.json; expect err "found '0,a.json'"
usage --weighted-input=a.json; expect err 'expected N,PROFILE'
usage --input-files=none; expect err 'none: cannot read: No such file'
usage --failure-mode=some a.json; expect err 'expected any, all or warn'

# Corrupt, foreign, newer: named with their places, and the first one first.
sed 's/"name":"prog"/"name":"other"/' a.json >foreign.json
bad="invalid/truncated.json foreign.json invalid/version-newer-major.json"
for file in $bad; do
  run -s 2 "$memprof" merge a.json $file b.json b.json b.json b.json -o none.json
  expect err "^memprof: $file:[/b].*: "
  expect_equal "messages" "$(wc -l <err)" 1
  expect_no_file none.json
done
run "$memprof" merge a.json $bad b.json --failure-mode=all -o good.json
expect_equal "warnings" "$(grep -c '^memprof: warning: ' err)" 3
expect err "^memprof: warning: foreign.json:/program/name: a profile of other, but a.json is one"
run "$memprof" merge a.json $bad b.json --failure-mode=warn
cmp out good.json
"$memprof" merge a.json b.json | cmp - out || fail "not the good ones"
run -s 2 "$memprof" merge --failure-mode=all "invalid/truncated.json" -o none.json
expect err '^memprof: none of the 1 profiles is good'
run "$memprof" merge --failure-mode=warn "invalid/truncated.json" -o none.json
expect_no_file none.json

# A weight with which counts are too large for 64 bits: they stop at the largest number.
"$memprof" merge --weighted-input=9007199254740992,a.json -o large.json
validate large.json

# Each adds to the file: none reads it before the one before has written.
"$memprof" merge --weighted-input=7,a.json -o wanted.json
for round in 1 2 3 4; do
  cp a.json sum.json
  for i in 1 2 3 4 5 6; do "$memprof" merge sum.json a.json -o sum.json & done
  wait
  cmp wanted.json sum.json || fail "a sum was lost"
done
passed
expect_equal "files left behind" "$(ls -A | grep -c 'tmp$')" 0
