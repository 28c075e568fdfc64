# feedback-runs.sh - runs of one build add up in the file; others replace it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
int *p;
int main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 10;
  p = malloc (n * sizeof *p);
  for (int i = 0; i < n; i++)
    p[i] = 2 * i;
  return 0;
}
END
compile_gen -O1 a.c -o a
f=a.memprof.json

# Two runs that do the same: the same bytes but for the line of `run'.
run ./a 100
grep -v '^"run":' $f >one
mv $f first.json
run ./a 100
grep -v '^"run":' $f >two
cmp one two || fail "two equal runs give other bytes"
passed
validate $f

# Run by run they add up, as memprof merge adds them.
run ./a 50
validate $f
expect_json $f <<'END'
equal(p["run"]["runs"], 2)
equal(site(line=8, kind="store")["executions"], 150)
equal(loop(line=7)["invocations"], 2)
END
mv $f both.json
run ./a 50
"$memprof" merge first.json $f -o sum.json
run "$memprof" diff --threshold=100 sum.json both.json

# Eight at once lose nothing.
rm $f
for i in 1 2 3 4 5 6 7 8; do ./a 10 & done
wait
validate $f
expect_json $f <<'END'
equal(p["run"]["runs"], 8)
equal(site(line=8, kind="store")["executions"], 80)
END
expect_equal "files left behind" "$(ls -A | grep -c 'tmp$' || true)" 0

# merge=0 replaces; so does another build, which is said in a note.
run -o merge=0 ./a 10
expect_not err memprof
expect_json $f 'equal(p["run"]["runs"], 1)'
sed 's/2 \* i/3 * i/' a.c >b.c
compile_gen -O1 b.c -o a
run ./a 10
expect err 'a.memprof.json: replaced, not merged: it belongs to another build'
expect_json $f 'equal(p["run"]["runs"], 1)'

# An error leaves the program's status alone (foreign-files.sh: what else can be there).
for n in '' .2 .3 .4 .5 .6 .7 .8 .9; do echo mine >a$n.memprof.json; done
run ./a 10
expect err "memprof.*a.memprof.json: it stays: .*not a memprof profile"
