#!/bin/sh
# sample-decisions.sh - sampled profiles lead to the decisions of exact ones about the programs
# of testsuite/bench/programs and examples.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"
bench=$MEMPROF_SRCDIR/testsuite/bench

# taken REMARKS: transformation and line of what was taken.
taken ()
{
  sed -n 's/.*"line":\([0-9]*\),.*"kind":"\([a-z-]*\)","taken":true.*/\2 \1/p' "$1" | sort -u
}
while read -r source arguments; do
  name=$(basename "${source%.*}")
  case $source in *.cc) compiler=g++ ;; *) compiler=$cc ;; esac
  for mode in full sample; do
    $compiler -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=$mode "$source" \
      -o "$name" -lm || fail "$name: compile"
    # shellcheck disable=SC2086 # several words
    MPRT_OPTIONS=output=$mode.memprof.json:merge=0 "./$name" $arguments >/dev/null \
      || fail "$name fails"
    rm -f remarks
    $compiler -specs="$specs" -O2 -g -fprofile-mem-use=$mode.memprof.json \
      -fprofile-mem-remarks=remarks "$source" -o "$name.use" -lm || fail "$name: rebuild"
    taken remarks >$mode.taken
  done
  # Some loads are at the edge of a gate; the rest must agree.
  common=$(comm -12 full.taken sample.taken | wc -l)
  different=$(comm -3 full.taken sample.taken | wc -l)
  if [ "$different" -le $((common / 4)) ]; then
    ok "$name: $common alike, $different not"
  else
    echo "$name: $common alike, not (> only sampled): $(comm -3 full.taken sample.taken | tr '\n\t' ',>')"
    bad="${bad:-} $name"
  fi
done <<END
$MEMPROF_SRCDIR/examples/bfs.c 17 7 1
$MEMPROF_SRCDIR/examples/hashjoin.c 17 7 1
$MEMPROF_SRCDIR/examples/spmv.c 17 7 1
$bench/programs/census.c 15000 7 12
$bench/programs/codec.cc 10 20000 7
$bench/programs/histogram.c 3 640 400 7
$bench/programs/imagefilter.c 2 640 400 7
$bench/programs/indexscan.c 17 7 10
$bench/programs/isort.c 22 7 1
$bench/programs/ledger.cc 120000 7 3
$bench/programs/listwalk.c 150000 7 2
$bench/programs/matrix.c 1 150 7
$bench/programs/orderbook.c 60000 7 20
$bench/programs/pagerank.c 17 7 4
$bench/programs/swarm.c 50 2500 7
$bench/programs/tour.c 200000 7 4
$bench/programs/treesum.c 300000 7 1
END
[ -z "${bad:-}" ] || fail "other decisions:$bad"
