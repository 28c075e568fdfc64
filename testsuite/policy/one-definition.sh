#!/bin/sh
# one-definition.sh - no two files define different types of one name; one_definition.py has the rule.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
here=$(dirname "$0")
srcdir=${MEMPROF_SRCDIR:-$(cd "$here/../.." && pwd)}
exec "${MEMPROF_PYTHON:-python3}" "$here/one_definition.py" "$srcdir"
