#!/bin/sh
# advise-agrees.sh - memprof advise and the rebuild decide alike about all programs of
# testsuite/bench/programs and examples.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"
bench=$MEMPROF_SRCDIR/testsuite/bench

while read -r source arguments; do
  name=$(basename "${source%.*}")
  case $source in *.cc) compiler=g++ ;; *) compiler=$cc ;; esac
  $compiler -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full "$source" -o "$name" -lm || fail "$name: compile"
  # shellcheck disable=SC2086 # several words
  "./$name" $arguments >/dev/null || fail "$name fails"
  rm -f remarks
  $compiler -specs="$specs" -O2 -g -fprofile-mem-use="$name.memprof.json" \
    -fprofile-mem-remarks=remarks "$source" -o "$name.use" -lm || fail "$name: rebuild"
  "${MEMPROF_PYTHON:-python3}" "$bench/advice_agrees.py" "$memprof" \
    "$name.memprof.json" remarks >agreed || fail "$name: $(cat agreed)"
  ok "$name: $(cat agreed)"
done <<END
$MEMPROF_SRCDIR/examples/bfs.c 17 7 1
$MEMPROF_SRCDIR/examples/hashjoin.c 17 7 1
$MEMPROF_SRCDIR/examples/spmv.c 17 7 1
$bench/programs/census.c 15000 7 2
$bench/programs/codec.cc 10 20000 7
$bench/programs/histogram.c 1 640 400 7
$bench/programs/imagefilter.c 1 640 400 7
$bench/programs/indexscan.c 17 7 2
$bench/programs/isort.c 20 7 1
$bench/programs/ledger.cc 60000 7 1
$bench/programs/listwalk.c 60000 7 1
$bench/programs/matrix.c 1 150 7
$bench/programs/orderbook.c 60000 7 2
$bench/programs/pagerank.c 16 7 2
$bench/programs/palette.c 10 1000 7
$bench/programs/swarm.c 50 2500 7
$bench/programs/tour.c 100000 7 2
$bench/programs/treesum.c 100000 7 1
END
