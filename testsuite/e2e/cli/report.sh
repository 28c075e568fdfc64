# report.sh - memprof report: one page whose data is that of the profile, whatever the names.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
struct node { long key; char pad[72]; struct node *next; };
int
main (void)
{
  struct node *list = 0;
  long sum = 0;
  for (int i = 0; i < 500; i++)
    {
      struct node *n = calloc (1, sizeof *n);
      n->key = i, n->next = list, list = n;
    }
  for (int round = 0; round < 4; round++)
    for (struct node *n = list; n; n = n->next)
      sum += n->key;
  return sum == 0;
}
END
compile_gen -fprofile-mem-modules=default,lifetime,regularity,pages,whole_stream a.c -o a
run ./a
run "$memprof" report a.memprof.json
expect out '^a\.memprof\.html: .* open it in a browser$'
check_page () { "$PYTHON" "$MEMPROF_SRCDIR/testsuite/e2e/cli/report_data.py" "$@" >&2 || fail "$1: $2"; passed; }
check_page same a.memprof.json a.memprof.html

# An older profile, decisions of a compile, measured gains.
compile_use -fprofile-mem-remarks=remarks a.c -o b
echo '{"transformations": [{"name": "all", "taken": 1, "gain": 1.2, "low": 1.1, "high": 1.3}]}' >verify.json
run "$memprof" report --against=a.memprof.json --decisions=remarks --verify=verify.json -o - a.memprof.json
cp out full.html
check_page same a.memprof.json full.html
expect full.html '"compiled": true'
expect full.html '"gain": 1\.2, "low": 1\.1'
expect full.html '"unchanged": 1'

# Hostile names, and a source that is not UTF-8.
check_page make-hostile a.memprof.json hostile.json
printf '/* \377\376 </script> */\n' | cat - a.c >new.c && mv new.c a.c
run "$memprof" report hostile.json
check_page same hostile.json hostile.html

# Without its streams, or with a part of them, the rest of the page stands.
head -c 300 a.memprof.streams >part && mv part a.memprof.streams
run "$memprof" report -o part.html a.memprof.json
check_page same a.memprof.json part.html
expect part.html '"note": "a\.memprof\.streams:byte [0-9]+: '
rm a.memprof.streams
run "$memprof" report -o none.html a.memprof.json
check_page same a.memprof.json none.html
expect none.html '"note": "a\.memprof\.streams: cannot open'

run -s 2 "$memprof" report --verify=a.c a.memprof.json
expect err 'is not what memprof verify --json prints'
run -s 2 "$memprof" report none.json
expect err '^memprof: none.json: '
# The scripts of the page make no HTML out of text (testsuite/policy/javascript.sh: the linter).
cat "$MEMPROF_SRCDIR"/consumers/report/*.js >all.js
expect_not all.js 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval *\(|new Function'
