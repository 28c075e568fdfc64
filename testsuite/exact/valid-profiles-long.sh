#!/bin/sh
# valid-profiles-long.sh - the same of 60 random programs of each kind.
# SPDX-License-Identifier: GPL-3.0-or-later
exec "${MEMPROF_PYTHON:-python3}" -B "${MEMPROF_SRCDIR:-.}/testsuite/exact/valid_profiles.py" --count 60
