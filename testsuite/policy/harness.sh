#!/bin/sh
# harness.sh - the end-to-end harness fails when it should.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
srcdir=${MEMPROF_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
dir=$(mktemp -d "${TMPDIR:-/tmp}/memprof-harness.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"
printf '#!/bin/sh\necho /dev/null\n' >memprof
chmod +x memprof
checks=0

# case_ends STATUS SCRIPT: a case with this body ends with that exit status.
case_ends ()
{
  { echo ". '$srcdir/testsuite/e2e/common.inc'"; printf '%s\n' "$2"; } >t.sh
  status=0
  MEMPROF_COMMAND=$dir/memprof MEMPROF_SRCDIR=$srcdir sh ./t.sh >log 2>&1 || status=$?
  if [ "$status" != "$1" ]; then
    cat log >&2
    echo "harness: status $status instead of $1 for: $2" >&2
    exit 1
  fi
  checks=$((checks + 1))
}

json='{"modules": [], "dependences": []}'
case_ends 99 'true'
case_ends 1 'expect_nott x y'
case_ends 1 'passed; no_such_helper'
case_ends 1 'false; passed'
case_ends 77 'skip "no such machine"'
case_ends 77 'need no-such-command'
case_ends 0 'echo a >f; expect f "^a$"; expect_not f b'
case_ends 1 'echo a >f; expect f b'
case_ends 1 'echo a >f; expect_not f a'
case_ends 1 'expect nofile a'
case_ends 1 'expect_not nofile a'
case_ends 0 'run -s 3 sh -c "echo x; exit 3"; expect out x'
case_ends 1 'passed; run sh -c "exit 3"'
case_ends 0 'fourth () { [ $attempt = 4 ] || fail no; passed; }; once_in_five fourth'
case_ends 1 'once_in_five expect_equal n 1 2'
case_ends 0 'expect_equal n 1 1'
case_ends 1 'expect_equal n 1 2'
case_ends 0 'same_output echo echo a'
case_ends 1 'same_output true false'
case_ends 1 'same_output echo printf'
case_ends 0 "echo '$json' >j; expect_json j 'equal(deps(), [])'"
case_ends 1 "echo '$json' >j; expect_json j 'equal(deps(), 1)'"
case_ends 1 "echo '$json' >j; expect_json j 'x = 1'"
case_ends 1 "echo '$json' >j; expect_json j 'no_such_function()'"
case_ends 1 "echo '$json' >j; expect_json j 'dep(1, 2)'; passed"
case_ends 0 'echo "int f;" >a.c; compile_fails -bad-flag a.c'
case_ends 1 'echo "int f;" >a.c; compile_fails -c a.c -o a.o'
case_ends 1 'passed; echo "int f(;" >a.c; compile_plain -c a.c'
if ls -d "${TMPDIR:-/tmp}"/memprof-t.* >/dev/null 2>&1; then
  echo "harness: a case left its directory behind" >&2
  exit 1
fi

# Each seeded fault names tests that exist.
for def in plugin runtime/arena runtime/backend/base feedback/streams; do
  def=$srcdir/$def/faults.def
  sed -n 's/^FAULT (\([a-z0-9_]*\), "[^"]*", "\([^"]*\)")$/\1;\2/p' "$def" >faults
  [ "$(grep -c '^FAULT' "$def")" = "$(wc -l <faults)" ] \
    || { echo "harness: $def has entries that scripts cannot read" >&2; exit 1; }
  while IFS=';' read -r fault first second; do
    for test in "${first%% *}" $second; do
      case $test in */*) ;; *) continue ;; esac
      [ -f "$srcdir/testsuite/$test.sh" ] || [ -f "$srcdir/testsuite/e2e/$test.sh" ] \
        || { echo "harness: $def: $fault: no test $test" >&2; exit 1; }
      checks=$((checks + 1))
    done
  done <faults
done
echo "harness: $checks checks passed"
