#!/bin/sh
# lengths.sh - no file, function or class is larger than one can survey; lengths.py has the rules.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
here=$(dirname "$0")
srcdir=${MEMPROF_SRCDIR:-$(cd "$here/../.." && pwd)}
exec "${MEMPROF_PYTHON:-python3}" "$here/lengths.py" "$srcdir"
