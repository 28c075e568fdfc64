#!/bin/sh
# moved-fields.sh - 200 generated programs rebuilt with -fprofile-mem-move-fields, with code that knows where
# fields lie and without: the same output, or the link is refused. Or PROGRAMS=N.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"
"${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/long/moved_fields.py" --memprof "$memprof" \
  --cc "$cc" --count "${PROGRAMS:-200}" || fail "see above"
ok "moved fields"
