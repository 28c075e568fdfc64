#!/bin/sh
# closed-loop.sh [PAIRS] - the closed loop on the example programs.
#
# Each program is built plain, profiled on a training input, rebuilt with the
# profile and timed against the plain build on a test input of another seed and
# size (PAIRS interleaved pairs, default 15).  A third build, with prefetches put
# in by hand (-DHAND_PREFETCH), is the yardstick.  Ends with the geomean.
set -eu
: "${MEMPROF_SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${MEMPROF_BUILDDIR:=$MEMPROF_SRCDIR/build}"
pairs=${1:-15}
cc=${MEMPROF_CC:-gcc}; cc=${cc%% *}
specs=$("$MEMPROF_BUILDDIR/memprof" --specs)
work=$(mktemp -d "${TMPDIR:-/tmp}/memprof-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
paired=$MEMPROF_SRCDIR/testsuite/bench/paired.py

one () # PROGRAM TRAIN-ARGUMENTS
{
  program=$1; shift
  src=$MEMPROF_SRCDIR/examples/$program.c
  $cc -O2 -g "$src" -o "$program.plain"
  $cc -O2 -g -DHAND_PREFETCH "$src" -o "$program.hand"
  $cc -specs="$specs" -O2 -g -fprofile-mem-generate="$work" "$src" -o "$program"
  "./$program" "$@" >/dev/null
  $cc -specs="$specs" -O2 -g -fprofile-mem-use="$work/$program.memprof.json" \
    -fopt-info "$src" -o "$program.use" 2>"$program.remarks"
  printf '%-10s %3d prefetches   rebuilt ' "$program" \
    "$(objdump -d "$program.use" | grep -c prefetch || true)"
  "$paired" -n "$pairs" --same --json "./$program.plain" "./$program.use" | tee "$program.ratio" \
    | sed 's/.*"ratio": \([0-9.]*\), "low": \([0-9.]*\), "high": \([0-9.]*\).*/\1 [\2, \3]/' | tr '\n' ' '
  printf ' by hand '
  "$paired" -n 5 --same "./$program.plain" "./$program.hand"
}

one bfs 19 7 2
one hashjoin 19 7 2
one spmv 19 7 2
python3 - *.ratio <<'PY'
import json, math, sys
ratios = [json.load(open(f))["ratio"] for f in sys.argv[1:]]
print("geomean %.3f, worst %.3f" % (math.exp(sum(map(math.log, ratios)) / len(ratios)), min(ratios)))
PY
