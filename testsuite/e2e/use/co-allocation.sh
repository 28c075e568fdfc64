# use/co-allocation.sh - calls whose objects are visited together share an arena, also across
# units; others do not; remarks and advise say why; the order of visits is advice.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
cat >key.c <<'END'
#include <stdlib.h>
long *make_key (long value)
{
  long *key = malloc (24);
  key[0] = key[1] = value;
  return key;
}
END
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/entries.c" a.c
compile_plain -DGET=malloc a.c key.c -o plain
for level in '-O2 -flto' '-O2 -fPIC -pie' -O2; do
  rm -f info a.memprof.json
  # shellcheck disable=SC2086
  compile_gen -DGET=malloc $level -fprofile-mem-modules=co_access a.c key.c -o a
  MPRT_OPTIONS=cache=L1=32K/8,L2=256K/8,LLC=4M/16 run ./a
  # shellcheck disable=SC2086
  compile_use -DGET=malloc $level -Wall -fchecking a.c key.c -o use -fprofile-mem-use=a.memprof.json \
    -fprofile-mem-remarks=info
  expect info '"line":12,.*"co-allocation","taken":true.*arena shared with key.c:4: lines fetched into L1 [0-9]+ before, '
  expect info '"line":4,.*"co-allocation","taken":true.*arena shared with a.c:12: lines fetched'
  expect info '"line":13,.*"co-allocation","taken":false.*no shared arena: '
  same_output ./plain ./use
  run ./use place
  expect out '^32$'
  MPRT_ARENA=report run ./use
  expect err '^memprof arena: 1 sites, '
done
run "$memprof" validate a.memprof.json
expect_json a.memprof.json <<'END'
pairs = [row for row in p["co_access"] if len(row["groups"]) == 2]
equal(len(pairs), 1)
check(pairs[0]["after"]["l1"] < 0.9 * pairs[0]["before"]["l1"])
END
run "$memprof" advise a.memprof.json
expect out '^shared arenas: 2 of '
expect out 'arena shared with key.c:4'
rm -f info
compile_use -DGET=malloc -fprofile-mem-use=a.memprof.json -fprofile-mem-use-no=co-allocation a.c key.c -o use \
  -fprofile-mem-remarks=info
expect_not info 'arena shared'
same_output ./plain ./use
echo a.c:12 >veto
compile_use -DGET=malloc -fprofile-mem-use=a.memprof.json -fprofile-mem-veto=veto a.c key.c -o use \
  -fprofile-mem-remarks=info
expect info '"line":12,.*no shared arena: vetoed by veto:1'
same_output ./plain ./use
# Two runs add up.
cp a.memprof.json first.json
run "$memprof" merge -o sum.json first.json a.memprof.json
run "$memprof" validate sum.json
