# labels.sh - a profile says when, where and with which labels its runs were made; commands and exports say it, too.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
int
main (void)
{
  long *x = calloc (1000, sizeof *x), sum = 0;
  for (int i = 0; i < 1000; i++)
    sum += x[i];
  return sum != 0;
}
END
compile_gen a.c -o a
before=$(date +%s)
run -o label=input:large:label=commit:1f3a ./a
expect_json a.memprof.json <<END
import socket
run = p["run"]
equal($before - 2 <= run["start"] <= $(date +%s), True)
equal(run["host"], socket.gethostname())
equal(run["labels"], [{"name": "commit", "value": "1f3a"}, {"name": "input", "value": "large"}])
END
run "$memprof" show a.memprof.json
expect out "^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-9:]{8}Z on .*; commit=1f3a, input=large\$"
run "$memprof" a.memprof.json
expect out '^20.*Z on .*; commit=1f3a, input=large$'
run "$memprof" export --as=ndjson a.memprof.json
expect out '"start":[0-9]{10},"host":"[^"]+","labels":\{"commit":"1f3a","input":"large"\}'
run "$memprof" export --as=pprof a.memprof.json -o p.pb
expect p.pb 'input=large'

# Added up: what both runs say stays.
cp a.memprof.json first.json
run -o label=input:small:label=commit:1f3a ./a
run "$memprof" show a.memprof.json
expect out 'Z on .*; commit=1f3a$'
expect_json a.memprof.json 'import json; equal(p["run"]["start"], json.load(open("first.json"))["run"]["start"])'

# A recording does not say when it was made; profiles are compared without that line.
run -o file=stream:label=input:x ./a
run "$(plugin_argument backend)" --from stream --output replayed.json
expect_json replayed.json 'equal([k for k in ("start", "host", "labels") if k in p["run"]], ["labels"])'
for i in 1 2; do
  rm -f a.memprof.json
  run -o "label=run:$i" ./a
  grep -v '^"run":' a.memprof.json >"profile$i"
done
cmp profile1 profile2 || fail "equal runs differ beyond the line of run"
passed
