# Compare and exchange whose result is not used: it stores the first time, not the second.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdatomic.h>
#include <stdio.h>
#define ONCE(name, type) \
  __attribute__ ((noipa)) void name (_Atomic type *place) \
  { \
    type free = 0; \
    atomic_compare_exchange_strong (place, &free, 1); \
  }
ONCE (once_char, char)
ONCE (once_int, int)
ONCE (once_long, long)
_Atomic char c;
_Atomic int i;
_Atomic long l;
int main (void)
{
  for (int time = 0; time < 2; time++)
    once_char (&c), once_int (&i), once_long (&l);
  printf ("%d %d %ld\n", c, i, l);
}
END
compile_gen -fchecking a.c -o a
run ./a
expect out '^1 1 1$'
for line in 9 10 11; do
  expect_json a.memprof.json "equal(site(line=$line, kind='load')['executions'], 2)
equal(site(line=$line, kind='store')['executions'], 1)"
done
compile_gen -fchecking -fprofile-mem-mode=sample a.c -o a
run ./a
expect out '^1 1 1$'
