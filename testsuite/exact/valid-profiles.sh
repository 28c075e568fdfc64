#!/bin/sh
# valid-profiles.sh - profiles of 1 random program of each kind and of objects of 0 bytes
# validate, in all modes, merged, too.
# SPDX-License-Identifier: GPL-3.0-or-later
exec "${MEMPROF_PYTHON:-python3}" -B "${MEMPROF_SRCDIR:-.}/testsuite/exact/valid_profiles.py" --count 1
