# feedback-use.sh - a bad profile never breaks a compile in a surprising way.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Unreadable: an error with file and place.  Missing or of another format: the
# code of a compile without profile, and at most a note, so that -Werror holds.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

make_invalid_profiles
cat >a.c <<'END'
long table[100];
long sum (int n) { long s = 0; for (int i = 0; i < n; i++) s += table[i]; return s; }
int main (int argc, char **argv) { (void) argv; return sum (argc) != 0; }
END
use () { profile=$1; shift; "$CC" -specs="$specs" -O2 -Werror -Wall -fprofile-mem-use="$profile" "$@"; }
"$CC" -O2 -S a.c -o plain.s

refused ()  # FILE TEXT
{
  if use "$1" -c a.c -o a.o 2>err; then fail "compiled with $1"; fi
  expect err "error: memprof: $2"
  expect_not err 'internal compiler error|terminate|Segmentation|json.exception'
  expect_equal "errors with $1" "$(grep -c 'error:' err)" 1
}
accepted ()  # FILE
{
  use "$1" -S a.c -o a.s 2>err || { cat err >&2; fail "did not compile with $1"; }
  cmp plain.s a.s || fail "other code with $1"
  passed
}

for f in truncated empty not-json array nested-too-deep bad-utf8 nan key-missing \
         count-is-real id-reserved points-to-group-dangling loop-encloses-itself; do
  refused "invalid/$f.json" "invalid/$f.json:"
done
refused "invalid/key-missing.json" '.*:/modules/0/functions/0/sites/1/kind: this key is missing'
truncate -s 2G huge.json
refused huge.json 'huge.json: larger than 1 GiB'
refused /dev/zero '/dev/zero: not a regular file'

# A folder with a bad profile in it.
mkdir d
cp "invalid/truncated.json" d/x.memprof.json
refused d '(\./)?d/x.memprof.json:byte'

# Missing: silent.  Another format: one note.  Another program: nothing fits.
accepted none.json
expect_equal "lines" "$(wc -l <err)" 0
accepted "invalid/version-newer-major.json"
expect err 'note: memprof: .*: format 2.0, but this memprof reads 1\.x'
accepted "$MEMPROF_SRCDIR/testsuite/golden/v1/list.json"
expect_not err 'error|warning'

# Every invalid profile in one go: no crash whatever happens.
for f in invalid/*.json; do
  s=0; use "$f" -c a.c -o a.o 2>err || s=$?
  [ $s -le 1 ] || fail "$f: compiler status $s"
  ! grep -Eq 'internal compiler error|terminate' err || { cat err >&2; fail "$f"; }
done
passed
