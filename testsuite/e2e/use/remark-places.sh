# use/remark-places.sh - each remark has a place in the source, also that of a load in a call of a library function.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__ ((noinline)) static void copy (char *to, const char *from)
{
  if (strlen (from) > 1024)
    exit (1);
  strncpy (to, from, 1024);
  to[1024] = '\0';
}
int main (int argc, char **argv)
{
  static char text[2000];
  for (int i = 0; i < 20; i++) copy (text, argv[argc - 1]);
  puts (text);
  return 0;
}
END
compile_gen a.c -o a
run ./a
compile_use -fprofile-mem-remarks=remarks a.c -o use
expect remarks '"file":"a.c","line":6,.*"function":"copy[^"]*","kind":"prefetch"'
expect remarks '"file":"a.c","line":8,.*"function":"copy[^"]*","kind":"prefetch"'
expect_not remarks '"file":""|"line":0'
