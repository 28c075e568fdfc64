#!/bin/sh
# permuted-profiles.sh - profiles that are wrong in every row change no program's output: 1,250
# permutations for each of nine programs, or PERMUTATIONS=N.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"
export MEMPROF_BUILDDIR
p=$MEMPROF_SRCDIR/testsuite/bench/programs
"${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/long/permuted_profiles.py" \
  --count "${PERMUTATIONS:-1250}" "$p/histogram.c 2 120 70 1" "$p/listwalk.c 2000 1 4" \
  "$p/orderbook.c 3000 1 4" "$p/treesum.c 4000 1 2" "$p/matrix.c 2 60 1" \
  "$p/indexscan.c 12 1 20" "$p/pagerank.c 10 1 4" "$p/isort.c 14 1 2" "$p/lookup.c 14 1 2000" || fail "see above"
ok "wrong profiles"
