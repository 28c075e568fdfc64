#!/bin/sh
# exact-threads.sh - 6 random programs with threads, run 3 times each.
# SPDX-License-Identifier: GPL-3.0-or-later
exec "${MEMPROF_PYTHON:-python3}" -B "${MEMPROF_SRCDIR:-.}/testsuite/exact/differential.py" --count 6 --runs 3 --levels range,all,context --quiet
