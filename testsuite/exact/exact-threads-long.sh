#!/bin/sh
# exact-threads-long.sh - 60 random programs with threads, run 20 times each.
# SPDX-License-Identifier: GPL-3.0-or-later
exec "${MEMPROF_PYTHON:-python3}" -B "${MEMPROF_SRCDIR:-.}/testsuite/exact/differential.py" --count 60 --runs 20 --levels range,access,all,context,pointers
