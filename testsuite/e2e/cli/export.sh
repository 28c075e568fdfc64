# export.sh - memprof export: each format, read by what it is for.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
int
main (void)
{
  long *x = calloc (1000, sizeof *x), sum = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 1; i < 1000; i++)
      x[i] += x[i - 1] + j;
  for (int i = 0; i < 1000; i += 8)
    sum += x[i];
  return sum == 0;
}
END
compile_gen a.c -o a
run ./a
cp a.memprof.json p.json
for format in callgrind folded pprof csv dot speedscope; do
  "$memprof" export --as=$format p.json -o p.$format
  run "$memprof" export --as=$format p.json
  cmp out p.$format || fail "$format: -o and standard output differ"
done
"$PYTHON" "$MEMPROF_SRCDIR/testsuite/e2e/cli/export_readers.py" p.json >&2 \
  || fail "an export does not say what the profile says"
passed

# flamegraph.pl splits at the last blank; semicolons separate frames.
expect p.folded '^a;a\.c;main;loop a\.c:[67];loop a\.c:[78];store x\[i\] a\.c:8:[0-9]+ 2997$'
run "$memprof" export --as=folded --metric=loads p.json
expect_not out ';store '

if command -v callgrind_annotate >/dev/null; then
  run callgrind_annotate --auto=yes p.callgrind
  expect out '2,997 .*x\[i\] \+= x\[i - 1\] \+ j;$'
  expect out 'a\.c:main'
else echo "callgrind_annotate is not installed: not tried" >&2
fi
if command -v dot >/dev/null; then
  run dot -Tplain p.dot
  expect out '^edge s[0-9]+ s[0-9]+ .*"2,99[0-9]" .* dashed'
else echo "dot is not installed: not tried" >&2
fi

run -s 2 "$memprof" export p.json
expect err '--as=FORMAT is missing; one of callgrind, folded, pprof, csv, dot, speedscope'
run -s 2 "$memprof" export --as=tex p.json
expect err "unknown format 'tex'"
run -s 2 "$memprof" export --as=folded --metric=time p.json
expect err "unknown 'time'"
run "$memprof" export --as=csv --json p.json -o q.csv
expect out '"format": "csv"'
