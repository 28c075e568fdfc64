#!/bin/sh
# exact-long.sh - 204 random programs at every coalescing level.
# SPDX-License-Identifier: GPL-3.0-or-later
exec "${MEMPROF_PYTHON:-python3}" -B "${MEMPROF_SRCDIR:-.}/testsuite/exact/differential.py" --count 204
