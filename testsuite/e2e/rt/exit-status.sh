#!/bin/sh
# exit-status.sh - every way to end: the status is the program's, the profile whole.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int cell;
int
main (int argc, char **argv)
{
  for (int i = 0; i < 100; i++)
    cell++;
  switch (argv[1][0])
    {
    case 'e': exit (7);
    case '_': _exit (8);
    case 'q': quick_exit (9);
    case 'a': abort ();
    case 'k': raise (SIGTERM);
    case 's': *(volatile int *) 8 = 1;
    }
  return 5;
}
END
compile_gen a.c -o a
for c in return:5 exit:7 _exit:8 quick:9 abort:134 kill:143 segv:139; do
  rm -f a.memprof.json
  # The shell reports a killed child on its own standard error.
  run -s ${c#*:} sh -c "./a ${c%:*}; exit \$?" 2>/dev/null
  wait_until [ -f a.memprof.json ]
  validate a.memprof.json
  complete=True
  case $c in abort*|kill*|segv*) complete=False ;; esac
  expect_json a.memprof.json "equal(p['run']['complete'], $complete)
equal(sorted(s['executions'] for s in sites(line=9)), [100, 100])"
done
