#!/bin/sh
# layering.sh - who may include whom; layering.py has the tables.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
here=$(dirname "$0")
srcdir=${MEMPROF_SRCDIR:-$(cd "$here/../.." && pwd)}
exec "${MEMPROF_PYTHON:-python3}" "$here/layering.py" "$srcdir"
