# What a killed program has recorded is read to the last record.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
int main (int argc, char **argv)
{
  for (int i = 0; i < 123456; i++) STORE (&x), LOAD (&x);
  if (!strcmp (argv[argc - 1], "kill")) kill (getpid (), SIGKILL);
  if (!strcmp (argv[argc - 1], "segv")) *(volatile int *) 0 = 1;
  abort ();
}
END
hand a.c -o a
for how in kill:137 segv:139 abort:134; do
  rm -f count
  status=0
  MPRT_OPTIONS=backend=$consumer:output=$PWD/count ./a ${how%:*} >out 2>err || status=$?
  expect_equal "status" $status ${how#*:}
  wait_until [ -s count ]
  expect_file count
  counted stores 123456
  counted loads 123456
  counted complete 0
  expect_not count '^fault:'
done
