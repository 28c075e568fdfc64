# arena-churn.sh - objects of arenas and of malloc live side by side, whoever frees
# them; dynamic and static programs, -flto, and every case without an arena.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/arena_churn.cc" \
  "$MEMPROF_SRCDIR/testsuite/e2e/src/arena.h" .

# churns REPORT [MPRT_ARENA]
churns ()
{
  MPRT_ARENA=${2:-report} run ./a
  expect out '^all right$'
  expect err "^memprof arena: $1"
}
small='4 sites, [0-9]+ slabs of 2 MB \(peak [1-9][0-9]+\), 64 MB of large blocks advised$'
none='0 sites, 0 slabs of 2 MB \(peak 0\),'
compile_use arena_churn.cc -o a -pthread
churns "$small"
churns "$none 0 MB.*, off$" off:report
churns '4 sites, [0-9]+ slabs of 2 MB \(peak 8\), .*limit reached$' report:limit=16777216
(ulimit -v 8000000; churns "$none 64 MB .*, no region$")
compile_use -flto -no-pie arena_churn.cc -o a -pthread
churns "$small"
# Without the library: the object's own fallback.
compile_plain arena_churn.cc -o a -pthread
MPRT_ARENA=report run ./a
expect_equal "standard error" "$(cat err)" ""
compile_use -static arena_churn.cc -o a -pthread 2>/dev/null || exit 0
churns "$small"
compile_use -static-pie arena_churn.cc -o a -pthread
churns "$small"
