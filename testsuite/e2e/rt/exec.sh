# exec hands over first; after an exec that fails, recording goes on.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
int main (int argc, char **argv)
{
  char n[2] = { argv[1][0], 0 };
  STORE (&x);
  if (*n == '0') { puts (getenv ("V") ? getenv ("V") : "none"); return 5; }
  n[0]--;
  char *args[] = { argv[0], n, 0 }, *env[] = { "V=v", getenv ("KEEP"), 0 };
  switch (argv[1][0])
    {
    case '1': execle ("./a", "a", n, (char *) 0, env); break;
    case '2': execl ("./a", "a", n, (char *) 0); break;
    case '3': execlp ("./a", "a", n, (char *) 0); break;
    case '4': execv ("./a", args); break;
    case '5': execvp ("./a", args); break;
    case '6': execve ("./a", args, environ); break;
    case '7': execvpe ("./a", args, environ); break;
    case '9':
      execl ("/no/such/file", "a", (char *) 0);
      execlp ("no-such-program", "a", (char *) 0);
      STORE (&x);
      execl ("./bad", "a", (char *) 0);   /* executable, but of no format */
      for (int i = 0; i < 1000; i++) LOAD (&x);
      return 6;
    }
  return 1;
}
END
hand a.c -o a
KEEP=MPRT_OPTIONS=backend=$consumer:output=$PWD/count; export KEEP
record -s 5 ./a 7
expect out '^v$'
expect_equal processes "$(grep -c ^process count)" 8
for i in 1 2 3 4 5 6 7; do
  expect count "^process end=exec.* loads=0 stores=1 "
  counted stores 1 $i
done
counted stores 1 8
printf '\001\002' >bad; chmod +x bad
record -s 6 ./a 9
counted stores 2 1
counted loads 1000 2
counted units 1 2
