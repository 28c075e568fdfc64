#!/bin/sh
# record-room.sh - more words between two calls than a chunk keeps free.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

# 200 records of 3 or 4 words in one function without a call or a loop.
{
  echo 'int a[8], *p[200];'
  echo '__attribute__ ((noipa)) void all (int *c, int **q) {'
  i=0
  while [ $i -lt 200 ]; do
    echo "if (*c != $i) { *q[$i] += 1; c = q[$i]; }"
    i=$((i + 1))
  done
  echo '} int main (void) {'
  echo 'for (int i = 0; i < 200; i++) p[i] = a + i % 8;'
  echo 'for (int i = 0; i < 1000; i++) all (a, p);'
  echo 'return 0; }'
} >a.c
plugin=$(plugin_file)
# Wide vectors: code that calls the runtime in the ordinary way; branches: with a
# call for each return; intel: in the other syntax.
for o in -O0 -O2 "$wide" "-O2 $branches" "-O2 $intel"; do
  for level in access range; do
    compile_gen $o -fplugin="$plugin" -fplugin-arg-memprof-coalesce=$level a.c -o a
    run -o "output=$level.memprof.json:merge=0" ./a
  done
  "$PYTHON" - <<'END' || fail "$o: records got lost"
import json
one, many = [json.load(open(l + ".memprof.json"))["run"] for l in ("access", "range")]
assert one["stores"] > 190000 and one["complete"] and many["complete"], (one, many)
assert all(one[k] == many[k] for k in ("accesses", "loads", "stores", "events_lost")), (one, many)
END
  passed
done
