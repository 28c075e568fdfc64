#!/bin/sh
# fault-injection.sh - failing system calls and kills of program, backend and merge lose no profile.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# FAULT_ROUNDS=N: tries N times as often as fault_injection.py says by itself.
. "$(dirname "$0")/real-program.inc"
command -v strace >/dev/null || { echo "SKIP: no strace here (apt-get install strace)" >&2; exit 77; }
strace -o trace true 2>/dev/null || { echo "SKIP: strace may not trace here" >&2; exit 77; }
export MEMPROF_BUILDDIR
for mode in calls kills merge; do
  case $mode in kills) often=40 ;; *) often=4 ;; esac
  "${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/long/fault_injection.py" $mode \
    --rounds $((often * ${FAULT_ROUNDS:-1})) || fail "see above"
done
ok "faults"
