#!/bin/sh
# closed-loop.sh [-c] [-n PAIRS] [-o NAME] [PROGRAM...] - the closed loop on whole
# programs.
#
# Each program is built plain, profiled on a training input, rebuilt with the
# profile and timed against the plain build on a test input of another seed and
# size (PAIRS interleaved pairs, default 15).  A third build, with the same done
# by hand (-DHAND...), is the yardstick.  Ends with the geomean.  Without
# PROGRAM all that the table below has.  With -o only the transformation NAME;
# with -c processor time, for a machine that does other things, too.
set -eu
: "${MEMPROF_SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${MEMPROF_BUILDDIR:=$MEMPROF_SRCDIR/build}"
pairs=15
cpu=
if [ "${1:-}" = -c ]; then cpu=--cpu; shift; fi
if [ "${1:-}" = -n ]; then pairs=$2; shift 2; fi
if [ "${1:-}" = -o ]; then
  MPRT_USE_NO=$(printf '%s\n' huge-pages layout prefetch versioning | grep -vx "$2" | tr '\n' ,)
  MPRT_USE_NO=${MPRT_USE_NO%,}
  export MPRT_USE_NO
  shift 2
fi
wanted=" $* "
cc=${MEMPROF_CC:-gcc}; cc=${cc%% *}
cxx=${MEMPROF_CXX:-g++}; cxx=${cxx%% *}
specs=$("$MEMPROF_BUILDDIR/memprof" --specs)
work=$(mktemp -d "${TMPDIR:-/tmp}/memprof-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
paired=$MEMPROF_SRCDIR/testsuite/bench/paired.py

numbers () # RATIO-FILE
{
  sed 's/.*"ratio": \([0-9.]*\), "low": \([0-9.]*\), "high": \([0-9.]*\).*/\1 [\2, \3]/' "$1" | tr '\n' ' '
}

one () # SOURCE TRAIN-ARGUMENTS [TEST-ARGUMENTS]
{
  src=$MEMPROF_SRCDIR/$1
  program=$(basename "$src"); program=${program%.*}
  case $wanted in "  " | *" $program "*) ;; *) return 0 ;; esac
  compiler=$cc
  case $src in *.cc) compiler="$cxx -std=c++20" ;; esac
  $compiler -O2 -g "$src" -o "$program.plain"
  $compiler -O2 -g -DHAND -DHAND_PREFETCH "$src" -o "$program.hand"
  $compiler -specs="$specs" -O2 -g -fprofile-mem-generate="$work" "$src" -o "$program"
  # shellcheck disable=SC2086
  "./$program" $2 >/dev/null
  $compiler -specs="$specs" -O2 -g -fprofile-mem-use="$work/$program.memprof.json" \
    -fprofile-mem-remarks="$program.remarks" "$src" -o "$program.use"
  touch "$program.remarks"
  printf '%-11s %2d taken   rebuilt ' "$program" \
    "$(grep -c '"taken":true' "$program.remarks" || true)"
  "$paired" -n "$pairs" $cpu --same --json "./$program.plain ${3:-}" "./$program.use ${3:-}" \
    >"$program.ratio"
  numbers "$program.ratio"
  printf '  by hand '
  "$paired" -n "$pairs" $cpu --same --json "./$program.plain ${3:-}" "./$program.hand ${3:-}" \
    >"$program.ratio-hand"
  numbers "$program.ratio-hand"
  echo
}

one examples/bfs.c "19 7 2"
one examples/hashjoin.c "19 7 2"
one examples/spmv.c "19 7 2" "21 1 12"
one testsuite/bench/programs/codec.cc "40 20000 7"
one testsuite/bench/programs/histogram.c "3 640 400 7"
one testsuite/bench/programs/imagefilter.c "2 640 400 7"
one testsuite/bench/programs/indexscan.c "17 7 10"
one testsuite/bench/programs/isort.c "22 7 1"
one testsuite/bench/programs/ledger.cc "120000 7 3"
one testsuite/bench/programs/listwalk.c "150000 7 2"
one testsuite/bench/programs/matrix.c "2 150 7"
one testsuite/bench/programs/orderbook.c "60000 7 20"
one testsuite/bench/programs/pagerank.c "17 7 8"
one testsuite/bench/programs/palette.c "30 1000 7"
one testsuite/bench/programs/swarm.c "200 2500 7"
one testsuite/bench/programs/treesum.c "300000 7 1"
python3 - *.ratio <<'PY'
import json, math, sys
ratios = [json.load(open(f))["ratio"] for f in sys.argv[1:]]
print("geomean %.3f, worst %.3f" % (math.exp(sum(map(math.log, ratios)) / len(ratios)), min(ratios)))
PY
