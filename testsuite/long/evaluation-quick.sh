#!/bin/sh
# evaluation-quick.sh - make evaluation works: all tables and figures of the papers with small inputs.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# It ends when something fails, is empty or makes no sense. What the numbers say is not checked: small
# inputs are no evidence.
set -eu
: "${MEMPROF_SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${MEMPROF_BUILDDIR:=$MEMPROF_SRCDIR/build}"
export MEMPROF_SRCDIR MEMPROF_BUILDDIR PYTHONDONTWRITEBYTECODE=1
"${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/evaluation/run.py" --quick
doc=$MEMPROF_BUILDDIR/evaluation/quick/doc
for page in README whomp leap streams hybrid prompt regularity beyond; do
  [ -s "$doc/$page.md" ] || { echo "evaluation-quick: no $page.md" >&2; exit 1; }
done
rows=$(grep -c '`PAPER=' "$doc/README.md")
[ "$rows" -ge 45 ] || { echo "evaluation-quick: only $rows tables and figures" >&2; exit 1; }
for figure in $(grep -oh 'figures/[a-z0-9-]*\.svg' "$doc"/*.md); do
  [ -s "$doc/$figure" ] || { echo "evaluation-quick: $figure is missing" >&2; exit 1; }
done
echo "ok: $rows tables and figures"
