# doc-examples.sh - what README.md and the pages of doc/ let a reader type works
# and gives the output shown there (doc_session.py says which blocks are run).
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "the documents show its figures"

mkdir bin
ln -s "$memprof" bin/memprof
case $("$CC" -dumpversion) in 12*) ln -s "$(command -v "$CC")" bin/gcc ;; esac
PATH=$PWD/bin:$PATH; export PATH
pages=0
for page in "$MEMPROF_SRCDIR/README.md" "$MEMPROF_SRCDIR"/doc/*.md; do
  grep -Eq '^```(console|sh)$' "$page" || continue
  mkdir "$(basename "$page")"
  cd "$(basename "$page")"
  # The reader's own program.
  cat >prog.c <<'END'
#include <stdlib.h>
struct node { int key, value; };
int main (void)
{ struct node *a = calloc (50, sizeof *a); int s = 0;
  for (int i = 0; i < 50; i++) a[i].key = i;
  for (int i = 0; i < 50; i++) s += a[i].key;
  free (a);
  return s != 1225;
}
END
  "$PYTHON" "$MEMPROF_SRCDIR/testsuite/e2e/cli/doc_session.py" "$page" \
    || fail "$page shows something else"
  passed
  pages=$((pages + 1))
  cd ..
done
[ $pages -ge 2 ] || fail "only $pages pages have commands"

# What the README's table tells to type, with the profile of its first lines.
cd README.md
grep '^|' "$MEMPROF_SRCDIR/README.md" | grep -o '`memprof [a-z]* prog[^`]*`' \
  | tr -d '`' >commands
[ "$(wc -l <commands)" -ge 3 ] || fail "the README's table has no commands"
while read -r command; do
  echo "$ $command"
  sh -c "$command" >out </dev/null || fail "README.md: $command"
  passed
done <commands
