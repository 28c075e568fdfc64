# advise-agrees.sh - memprof advise says what the rebuild does, or that it needs the
# code; each decision of the rebuild has a remark.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

bench=$MEMPROF_SRCDIR/testsuite/bench
agrees () # PROGRAM ARGUMENT...
{
  cp "$bench/programs/$1.c" . || fail "no $1"
  name=$1; shift
  compile_gen "$name.c" -o "$name" -lm
  run "./$name" "$@"
  rm -f remarks
  compile -specs="$specs" -O2 -g -fprofile-mem-use="$name.memprof.json" \
    -fprofile-mem-remarks=remarks "$name.c" -o "$name.use" -lm
  "$PYTHON" "$bench/advice_agrees.py" "$memprof" "$name.memprof.json" remarks >agreed \
    || fail "$name: $(cat agreed)"
  cat agreed >>all
}
agrees indexscan 14 7 2
agrees orderbook 20000 7 1
agrees matrix 1 40 7
expect all '^[1-9][0-9]* certain, [1-9][0-9]* left to the code, [1-9][0-9]* taken, 0 faults$'
# The checker notices a remark that is missing, and a decision that is another.
grep -v '"kind":"prefetch"' remarks >fewer || fail "no prefetch decided"
! "$PYTHON" "$bench/advice_agrees.py" "$memprof" matrix.memprof.json fewer >agreed \
  || fail "missing remarks are not noticed"
sed 's/"taken":false/"taken":true/' remarks >more
! "$PYTHON" "$bench/advice_agrees.py" "$memprof" matrix.memprof.json more >agreed \
  || fail "other decisions are not noticed"

# Options of link time are not those of a unit.
echo 'int main (int c, char **v) { int a[9] = { 0 }; for (int i = 0; i < c; i++) a[i] += *v[0]; return a[5]; }' >l.c
compile_gen -flto l.c -o l
run ./l
for option in -flto -fno-lto; do
  compile -specs="$specs" -O2 -g $option -fprofile-mem-use=l.memprof.json l.c -o l.use 2>err
  expect_not err 'was profiled with'
done

# Source advice makes no local of what moves: p is new in each iteration.
cat >w.c <<'END'
#include <stdlib.h>
struct e { long score, sum; };
int main (void)
{
  int n = 100000; struct e *t = calloc (n, sizeof *t); unsigned *ix = malloc (4 * n);
  long *out = malloc (8 * n), s = 0;
  for (int i = 0; i < n; i++) { ix[i] = i * 7919u % n; t[i].score = i; }
  for (int i = 0; i < n; i++) { struct e *p = &t[ix[i]]; out[i] = p->score; }
  for (int i = 0; i < n; i++) s += out[i];
  return s == 1;
}
END
compile_gen w.c -o w
run ./w
run "$memprof" advise --all w.memprof.json
expect_not out 'score.*local'
passed
