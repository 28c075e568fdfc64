#!/bin/sh
# layering.sh - which folder may include which; layering.py has the tables.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
here=$(dirname "$0")
srcdir=${MEMPROF_SRCDIR:-$(cd "$here/../.." && pwd)}
exec "${MEMPROF_PYTHON:-python3}" "$here/layering.py" "$srcdir"
