#!/bin/sh
# adding-a-module.sh - doc/adding-a-module.md, done to a copy of the tree, makes a module that
# works: its rows are written, merged and validated, also by a memprof that does not know them.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"
python=${MEMPROF_PYTHON:-python3} srcdir=$MEMPROF_SRCDIR
cxx=$(echo "$cc" | sed 's/gcc/g++/')
command -v automake >/dev/null || { echo "SKIP: no automake" >&2; exit 77; }
mkdir copy copy/build
(cd "$srcdir" && tar -c --exclude=./.git --exclude=./build* --exclude='*.o' --exclude='*.lo' .) \
  | tar -x -C copy || fail "cannot copy the tree"
"$python" "$srcdir/testsuite/long/follow_page.py" "$srcdir/doc/adding-a-module.md" copy \
  || fail "the page cannot be followed"

cd copy/build
{ (cd .. && ./bootstrap autotools) && ../configure -q CC="$cc" CXX="$cxx" CXXFLAGS=-O1 \
    && make -s -j2 memprof memprof-backend plugin/memprof.la plugin/stamp-plugins runtime/target/libmemprof_rt.la \
         memprof.specs; } >build.log 2>&1 \
  || { grep -E 'error|\*\*\*' build.log | head -n 20; fail "what the page says does not build"; }
ok "builds"

cat >a.c <<'END'
int a[10], sum;
int
main (void)
{
  for (int i = 0; i < 30; i++)
    sum += a[i * 7 % 10];
  return 0;
}
END
"$cc" -specs=memprof.specs -O1 -fno-tree-vectorize -g -fprofile-mem-generate -fprofile-mem-mode=full \
  -fprofile-mem-modules=backward a.c -o a || fail "a.c does not compile"
for counts in 20 40 60; do
  ./a || fail "a ends with $?"
  "$python" - a.memprof.json $counts <<'END' || fail "rows after a run"
import json, sys
rows = json.load(open(sys.argv[1]))["backwards"]
assert [r["backward"] for r in rows] == [int(sys.argv[2])], rows
END
done
./memprof validate a.memprof.json || fail "its own memprof refuses it"
ok "three runs are added up"
"$memprof" validate a.memprof.json || fail "an older memprof refuses an unknown table"
ok "unknown tables are skipped"

# What is forgotten does not compile.
grep -v 'add_row(Backward' ../feedback/tables/backwards.h >backwards.h
mv backwards.h ../feedback/tables/backwards.h
if make -s feedback/libmemprof_feedback_la-merge.lo >merge.log 2>&1; then
  fail "a table without a rule for merging compiles"
fi
grep -q 'merging would lose its rows' merge.log || fail "$(head -n 5 merge.log)"
ok "a table without a rule for merging does not compile"
