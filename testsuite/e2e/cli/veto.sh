# veto.sh - memprof veto adds entries once, lists them, and refuses what the compiler would misread.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

printf '# mine\nsearch' >v
run "$memprof" veto --add='@prefetch a.c:7' --add=' search ' v
expect_equal "the list" "$(cat out)" "search
@prefetch a.c:7"
expect_equal "the file" "$(cat v)" "# mine
search
@prefetch a.c:7"
run "$memprof" veto --json --add='@prefetch a.c:7' v
expect_equal "JSON" "$(tr -d ' \n' <out)" '["search","@prefetcha.c:7"]'
expect_equal "lines" "$(wc -l <v)" 3
run "$memprof" veto --add='struct order' new
expect new '^struct order$'
refused () # TEXT ARGUMENT...
{
  text=$1; shift
  run -s 2 "$memprof" veto "$@"
  expect err "$text"
}
refused 'unknown transformation; known: branch-counts, co-allocation, field-order' --add='@warp search' v
refused 'names no function, type or place' --add=@prefetch v
refused 'not one entry' --add= v
refused 'none: No such file' none
refused 'Is a directory' --add=f .
expect_equal "lines after refusals" "$(wc -l <v)" 3
