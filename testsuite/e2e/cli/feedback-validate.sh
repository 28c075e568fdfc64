# feedback-validate.sh - memprof validate: every fault with file and pointer.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

good=$MEMPROF_SRCDIR/testsuite/golden/v1/every-field.json
make_invalid_profiles

run "$memprof" validate "$good"
expect out "^$good: valid$"
run "$memprof" validate --quiet "$good"
expect_equal "bytes of --quiet" "$(wc -c <out)" 0

# Each of them is refused, with its name and nothing on stderr.
n=0
for f in invalid/*.json; do
  s=0; "$memprof" validate "$f" >out 2>err || s=$?
  [ $s = 1 ] || fail "validate $f: status $s"
  head -n 1 out | grep -q "^$f: *[/a-zA-Z]" || { cat out >&2; fail "$f: no message"; }
  [ ! -s err ] || fail "validate $f: something on stderr"
  n=$((n + 1)) && passed
done
[ $n -gt 90 ] || fail "only $n invalid files"

# One bad file among good ones; all faults of a file, up to the limit.
run -s 1 "$memprof" validate "$good" "invalid/stride-share.json" "$good"
expect out "^invalid/stride-share.json:/strides/0/share: expected 7 / 12$"
expect_equal "valid files" "$(grep -c ': valid$' out)" 2
sed 's/"kind":/"sort":/' "$good" >faults.json
faults=$(grep -c '"sort":' faults.json)  # a key that is missing; one that is unknown is skipped
run -s 1 "$memprof" validate faults.json
expect_equal "faults" "$(wc -l <out)" $faults
expect out '^faults.json:/groups/1/kind: this key is missing$'
run -s 1 "$memprof" validate --limit=3 faults.json
expect_equal "faults with --limit=3" "$(wc -l <out)" 4
run -s 1 "$memprof" validate --json faults.json
"$PYTHON" -c '
import json, sys
(d,) = json.load(sys.stdin)
assert d["file"] == "faults.json" and not d["valid"] and len(d["faults"]) == int(sys.argv[1])' $faults <out \
  || fail "--json is not as expected"
passed

# Not judged at all: 2.
run -s 2 "$memprof" validate none.json "$good"
expect err '^memprof: none.json: cannot open: No such file or directory$'
expect out "^$good: valid$"
run -s 2 "$memprof" validate .
expect err '^memprof: .: cannot read: Is a directory$'

# Names and texts of the document do not drive the terminal.
printf '{"memprof":{"format":"1.0"},"\\u001b[2J":1}' >escape.json
run -s 1 "$memprof" validate escape.json
expect_not out "$(printf '\033')"
