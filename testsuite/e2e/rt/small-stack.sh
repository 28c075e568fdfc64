# A handler on a small stack of its own needs hardly more than without profiling,
# also when its records are the program's first.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char small[65536];
static volatile long cell[10];
static void handle (int s) { for (int i = 0; i < 3; i++) cell[i] += s; }
__attribute__ ((no_profile_instrument_function)) static int used (void)
{
  int i = 0;
  while (small[i] == 0x5a) i++;
  return (int) sizeof small - i;
}
int main (void)
{
  struct sigaction a = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
  stack_t st = { .ss_sp = small, .ss_size = sizeof small };
  memset (small, 0x5a, sizeof small);
  sigaltstack (&st, 0);
  sigaction (SIGUSR1, &a, 0);
  raise (SIGUSR1);
  printf ("%d\n", used ());
  return cell[2] != SIGUSR1;
}
END
compile_plain a.c -o plain
run ./plain; plain=$(cat out)
for flags in -O0 -O2 $wide "-O2 -static" -fprofile-mem-mode=sample; do
  compile_gen $flags a.c -o a
  run ./a
  more=$(($(cat out) - plain))
  [ $more -le 1536 ] || fail "$flags: $more bytes more than $plain"
  passed
  expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
  rm a.memprof.json
done
