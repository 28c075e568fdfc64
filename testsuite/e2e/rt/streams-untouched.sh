#!/bin/sh
# streams-untouched.sh - standard streams, pipes and wait() belong to the program.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int seen[256];
int
main (int argc, char **argv)
{
  int c;
  while ((c = getchar ()) != EOF)
    {
      seen[c]++;
      putchar (c);
    }
  fprintf (stderr, "%d x\n", seen['x']);
  /* No child that the program did not make.  */
  return wait (0) == -1 && (argc == 1 || close (1) == 0) ? 0 : 1;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
echo 'xyzzy' >in
run ./a <in
expect_equal stdout "$(cat out)" xyzzy
expect_equal stderr "$(cat err)" '1 x'
# A command substitution ends when the program does.
expect_equal substitution "$(echo pipe | ./a 2>/dev/null)" pipe
expect_equal 'rest of the input' "$( (./a >/dev/null 2>&1 </dev/null; cat) <in)" xyzzy
./a <in >/dev/null 2>err 0<in
expect_equal 'stderr alone' "$(cat err)" '1 x'
run ./a closed </dev/null
same_output ./plain ./a
validate a.memprof.json
