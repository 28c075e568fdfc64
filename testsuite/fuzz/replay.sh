#!/bin/sh
# replay.sh - no input of the fuzzing corpus, nor a mutation of one, ends a reader.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
: "${MEMPROF_SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${MEMPROF_BUILDDIR:=$MEMPROF_SRCDIR/build}"
exec "$MEMPROF_BUILDDIR/fuzz_replay" "$MEMPROF_SRCDIR/testsuite/fuzz/corpus"
