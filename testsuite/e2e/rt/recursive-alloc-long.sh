#!/bin/sh
# recursive-alloc-long.sh - recursive-alloc.sh with four million nodes, and a
# list rebuilt a million times.
# SPDX-License-Identifier: GPL-3.0-or-later
MEMPROF_LONG=1
export MEMPROF_LONG
exec sh "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt/recursive-alloc.sh"
