#!/bin/sh
# mpi-orders.sh - 200 random orders and groupings of 12 profiles, on 1, 2, 4 and 7 ranks:
# the bytes of the serial merge.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/mpi.inc"

twelve_profiles
"$memprof" merge p?.json p1?.json -o serial.json
round=0
while [ $round -lt 50 ]; do
  round=$((round + 1))
  for n in 1 2 4 7; do
    # Some of them as sums of parts of random length, the others one by one.
    ls p*.json | sort -R >order
    part=$(shuf -i 1-6 -n 1)
    rm -f part.*
    head -n $((2 * part)) order | split -l "$part" - part.
    for list in part.??; do "$memprof" merge --input-files=$list -o $list.sum; done
    { ls part.*.sum; tail -n +$((2 * part + 1)) order; } | sort -R >list
    mpirun -n $n memprof-mpi-merge -o sum.json --input-files=list
    cmp sum.json serial.json || fail "round $round, $n ranks: other bytes from $(cat list)"
    passed
  done
done
