#!/bin/sh
# mutated-profiles.sh - 3,000 compiles with damaged profiles, or MUTATIONS=N for each of three programs.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"
export MEMPROF_BUILDDIR
p=$MEMPROF_SRCDIR/testsuite/bench/programs
"${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/long/mutated_profiles.py" --first "${MUTATION_SEED:-1}" \
  --count "${MUTATIONS:-1000}" "$p/orderbook.c 3000 1 4" "$p/listwalk.c 2000 1 4" "$p/histogram.c 2 120 70 1" \
  || fail "see above"
ok "mutated profiles"
