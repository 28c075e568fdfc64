# replay-options.sh - a recording is analysed with other options than its run had, and workers change no byte.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
int
main (void)
{
  long *x = calloc (5000, sizeof *x), sum = 0;
  for (int i = 0; i < 2000000; i++)
    sum += x[i * 7919L % 5000]++;
  return sum == 0;
}
END
compile_gen a.c -o a
run -o file=stream:modules=default:label=input:x ./a
backend=$(plugin_argument backend)
run "$backend" --from stream --output as-recorded.json
for workers in 1 2 4; do
  run "$backend" --from stream --options "merge=0:workers=$workers" --output replayed.json
  cmp as-recorded.json replayed.json || fail "$workers workers: another profile"
done
run "$backend" --from stream --options "modules=stride label=input:y" --output other.json
expect_json as-recorded.json 'equal(("strides" in p, "dependences" in p), (True, True))'
expect_json other.json <<'END'
equal(("strides" in p, "dependences" in p), (True, False))
equal(p["run"]["labels"], [{"name": "input", "value": "y"}])
END
passed
