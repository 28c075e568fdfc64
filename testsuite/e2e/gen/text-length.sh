#!/bin/sh
# text-length.sh - what a call has written is measured before it changes.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
char line[100];
int
main (int argc, char **argv)
{
  FILE *f = fopen (argv[argc - 1], "r");
  if (!fgets (line, sizeof line, f))
    return 1;
  char first = line[0];
  line[0] = 0;
  return first + line[4] != 'h' + 'o';
}
END
echo hello >text
# Nor may the measuring give warnings of its own.
compile_gen -Wall -Wextra -Werror a.c -o a
run ./a text
expect_json a.memprof.json <<'END'
# line[4] was written by fgets, so it has a writer: one dependence on EXTERNAL each.
externals = [d for d in deps() if d["sink"] == site(line=11, kind="load")["id"]]
equal(len(externals), 1)
END
