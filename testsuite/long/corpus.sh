#!/bin/sh
# corpus.sh - Debian source packages, each built plain, profiled and rebuilt by its own rules: the same tests pass.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   corpus.sh [-d DIR] [-t SECONDS] [PACKAGE]...     all of corpus.list without a PACKAGE
#
# DIR (default ./corpus) keeps sources and results; what has a result there is not tried again, so a run that was
# stopped goes on.  A package may take SECONDS (default 600).  Not part of make check-long: it takes hours.
# corpus.py says what is compared; DIR/table.md is the table.
set -eu
: "${MEMPROF_SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${MEMPROF_BUILDDIR:=$MEMPROF_SRCDIR/build}"
export MEMPROF_SRCDIR MEMPROF_BUILDDIR
exec "${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/long/corpus.py" "$@"
