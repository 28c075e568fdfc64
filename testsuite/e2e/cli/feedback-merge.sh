# feedback-merge.sh - memprof merge: sums, any order, errors leave the old file.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

golden=$MEMPROF_SRCDIR/testsuite/golden/v1/every-field.json
cp "$golden" a.json
sed 's/"runs":2/"runs":5/; s/"mapped"/"heap"/' a.json >b.json
sed 's/"checksum":3735928559/"checksum":7/' a.json >c.json

# One profile: itself.  Two: counts add.
run "$memprof" merge a.json
cmp out "$golden" || fail "merging one profile changes it"
passed
run "$memprof" merge a.json b.json -o ab.json
validate ab.json
expect_json ab.json <<'END'
equal(p["run"]["runs"], 7)
equal(p["run"]["stores"], 32)
equal(p["strides"][0]["executions"], 24)
equal(p["dependences"][0]["count"], 18)
equal(p["dependences"][0]["frequency"], 0.75)
equal(p["groups"][0]["span"], 64)
END

# The order does not matter, to the byte; nor do parentheses.
"$memprof" merge a.json b.json c.json >1.json
"$memprof" merge c.json b.json a.json >2.json
"$memprof" merge b.json c.json -o bc.json
"$memprof" merge a.json bc.json >3.json
cmp 1.json 2.json && cmp 1.json 3.json || fail "the order of merging matters"
passed
validate 1.json
run "$memprof" merge --json a.json b.json --output=x.json
expect out '"runs": 7'

# In place, as the advice for a broken index says.
sed '0,/"strides":\[/s/"strides":\[/"strides":[1/' a.json >edited.json
run -s 1 "$memprof" validate edited.json
run "$memprof" merge edited.json -o edited.json
cmp edited.json a.json || fail "the index was not made anew"
passed

# Notes about what does not add up.
sed 's/"build_id":"b1d"/"build_id":"x"/' a.json >other.json
run "$memprof" merge a.json other.json -o x.json
expect err '^memprof: note: other.json: another build'
"$PYTHON" - <<'END'
import json
p = json.load(open("a.json"))
del p["strides"], p["index"]
json.dump(p, open("less.json", "w"))
END
run "$memprof" merge a.json less.json -o x.json
expect err '^memprof: note: less.json: table strides is left out'
validate x.json

# Trouble: status 2, one message, the old output as it was, nothing left behind.
mkdir d
cp a.json d/old.json
head -c 1000 a.json >truncated.json
for bad in truncated.json none.json /dev/zero; do
  run -s 2 "$memprof" merge a.json "$bad" -o d/old.json
  expect err "^memprof: $bad"
  expect_equal "messages" "$(wc -l <err)" 1
done
run -s 2 "$memprof" merge a.json -o none/x.json
expect err '^memprof: none/x.json: cannot create a file in its folder: No such file'
run -s 2 "$memprof" merge a.json -o d
expect err '^memprof: d: cannot write: Is a directory'
cmp a.json d/old.json || fail "the old output was changed"
expect_equal "files in d" "$(ls -A d)" old.json
if [ -c /dev/full ]; then
  run -s 2 "$memprof" merge a.json -o /dev/full
  expect err 'No space left'
fi
if [ "$(id -u)" != 0 ]; then
  chmod 555 d
  run -s 2 "$memprof" merge a.json -o d/old.json
  expect err '^memprof: d/old.json: .*Permission denied'
  chmod 755 d
fi
