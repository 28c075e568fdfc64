#!/bin/sh
# thread-churn-long.sh - thread-churn.sh with ten million objects.
# SPDX-License-Identifier: GPL-3.0-or-later
MEMPROF_CHURN_OBJECTS=10000000
export MEMPROF_CHURN_OBJECTS
exec sh "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt/thread-churn.sh"
