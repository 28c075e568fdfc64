# pages-validation.sh - five arrays in five threads, as in Chen et al., ISPASS 2012: each line is
# read from memory once, and what was stored into is written back.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

validation=$MEMPROF_SRCDIR/testsuite/bench/pages_validation.py
run "$PYTHON" "$validation" "$memprof" 16384
for quarters in 0 1 2 3 4; do
  expect out "^a$quarters .* 4:$quarters\.00 +4:$quarters  0\.00 %"
done
# The errors of the paper's table 2: 4:2.94 for 4:3 is 2.04 %, 4:3.96 for 4:4 is 1.01 %.
"$PYTHON" - "$(dirname "$validation")" <<'END' || fail "the error of a rate"
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from pages_validation import error
assert round(100 * error(4194303, 3087379, 3), 2) == 2.04
assert round(100 * error(4194436, 4149586, 4), 2) == 1.01
assert error(4096, 4096, 2) == 0.5 and error(4096, 1, 1) > 1000
END
