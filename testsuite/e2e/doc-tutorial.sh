# doc-tutorial.sh - the session in doc/tutorial.md gives the output shown there.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

mkdir bin
ln -s "$memprof" bin/memprof
case $("$CC" -dumpversion) in 12*) ln -s "$(command -v "$CC")" bin/gcc ;; esac
PATH=$PWD/bin:$PATH; export PATH
"$PYTHON" "$MEMPROF_SRCDIR/testsuite/e2e/doc_session.py" \
  "$MEMPROF_SRCDIR/doc/tutorial.md" || fail "doc/tutorial.md shows something else"
passed
