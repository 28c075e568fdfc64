# cli/errors.sh - wrong use and bad input: one message on stderr, exit status 2.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

# trouble TEXT WORD...: one line on stderr like TEXT, nothing on stdout.
trouble ()
{
  text=$1; shift
  run -s 2 "$memprof" "$@"
  expect err "^memprof: .*$text"
  expect_equal "lines of '$*' on stderr" "$(wc -l <err)" 1
  expect_equal "bytes of '$*' on stdout" "$(wc -c <out)" 0
}

trouble "unknown command 'frobnicate'; try: memprof --help" frobnicate
trouble "show: unknown option '--bogus'; try: memprof show --help" show --bogus x
trouble 'show: expected PROFILE' show
trouble "option '--top' needs a value" show x --top
trouble '--top: expected a number' show --top=many x
trouble "explain: expected FILE:LINE or FILE:LINE:COLUMN, found 'a.c'" explain x a.c
for c in show advise; do
  trouble 'none.json: .*No such file' $c none.json
  trouble '/: .*directory' $c /
  : >empty.json
  trouble 'empty.json' $c empty.json
  echo '{"memprof": {"format": "9.0"}}' >other.json
  trouble 'other.json' $c other.json
  echo '{"memprof": ' >cut.json
  trouble 'cut.json' $c cut.json
done
trouble 'no-such-command: No such file' run ./no-such-command

# Not wrong use, but no profile either.
run -s 1 "$memprof" run true
expect err 'true wrote no profile'

# The status of the command is that of memprof run.
run -s 7 "$memprof" run sh -c 'exit 7'
run -s 137 "$memprof" run sh -c 'kill -9 $$'

# A full disk is not success.
if [ -c /dev/full ]; then
  s=0; "$memprof" --help >/dev/full 2>err || s=$?
  expect_equal "status on a full disk" $s 2
  expect err 'standard output: No space left'
fi

run "$memprof" --help
expect out '^Usage: memprof COMMAND'
for c in $(sed -n 's/^  \([a-z]\{1,\}\) \{2,\}.*/\1/p' out); do
  run "$memprof" $c --help
  expect out "^Usage: memprof $c"
  expect out '--json'
  cp out direct; run "$memprof" help $c
  cmp -s out direct || fail "help $c differs from $c --help"
done
run "$memprof" --version
expect out '^memprof [0-9]+\.[0-9]+\.[0-9]+ \(for GCC ([0-9., ]*, )?'"$($CC -dumpfullversion)"
