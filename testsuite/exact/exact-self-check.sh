#!/bin/sh
# exact-self-check.sh - the exactness test's own analysis, on worked examples.
# SPDX-License-Identifier: GPL-3.0-or-later
exec "${MEMPROF_PYTHON:-python3}" -B "${MEMPROF_SRCDIR:-.}/testsuite/exact/self_check.py"
