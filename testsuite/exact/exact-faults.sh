#!/bin/sh
# exact-faults.sh - each seeded fault is noticed.
# SPDX-License-Identifier: GPL-3.0-or-later
exec "${MEMPROF_PYTHON:-python3}" -B "${MEMPROF_SRCDIR:-.}/testsuite/exact/differential.py" --faults all --count 24
