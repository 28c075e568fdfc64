#!/bin/sh
# feedback-fuzz.sh - 200,000 damaged profiles, of another seed each time.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The seed is printed; MEMPROF_FUZZ_SEED repeats a run.
set -eu
: "${MEMPROF_BUILDDIR:?run by make check-long}"
test=$MEMPROF_BUILDDIR/feedback_test
[ -x "$test" ] || { echo "feedback-fuzz: skipped: no GoogleTest"; exit 77; }
: "${MEMPROF_FUZZ_SEED:=$(date +%s)}"
: "${MEMPROF_FUZZ_ROUNDS:=200000}"
export MEMPROF_FUZZ_SEED MEMPROF_FUZZ_ROUNDS
# A filter without tests would pass.
"$test" --gtest_list_tests --gtest_filter='Hostile.RandomMutations' | grep -q RandomMutations \
  || { echo "feedback-fuzz: there is no such test" >&2; exit 1; }
echo "feedback-fuzz: MEMPROF_FUZZ_SEED=$MEMPROF_FUZZ_SEED"
exec "$test" --gtest_filter='Hostile.RandomMutations'
