# An allocation that succeeds leaves errno as it was, also where the system refuses
# what the arena asks for.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/arena.h" .
cat >a.c <<'END'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "arena.h"
FALLBACK (malloc, malloc);
static struct cell here, there;
int main (void)
{
  // No descriptor to ask about huge pages with.
  struct rlimit none = { 3, 3 };
  setrlimit (RLIMIT_NOFILE, &none);
  errno = 0;
  char *small = __mprt_hot_malloc (40, &here);
  printf ("%d\n", errno);
  char *large = __mprt_hot_malloc (8 << 20, &there);
  printf ("%d\n", errno);
  free (small), free (large);
  printf ("%d\n", errno);
  return small == large;
}
END
for flags in "" -static; do
  compile_use $flags a.c -o a
  run ./a
  expect_equal "errno with ${flags:-a shared libc}" "$(tr '\n' ' ' <out)" "0 0 0 "
done
