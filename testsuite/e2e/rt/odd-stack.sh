# The runtime does not mind where the stack is: called from assembler, it may lie at an
# odd multiple of 8 bytes. (Only the first call of each function of libc's does, as it is
# looked for then.)
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "stacks are always aligned"
cat >a.c <<'END'
#include <stdlib.h>
static int a[1000];
__attribute__ ((noinline, used)) static void work (void)
{
  int *p = malloc (sizeof a), sum = 0;
  for (int i = 0; i < 1000; i++) p[i] = i;
  for (int round = 0; round < 100; round++)
    for (int i = 0; i < 1000; i++) sum += a[p[i]]++;
  free (p);
  exit (sum == 4950000 ? 3 : 4);
}
int main (void)
{
  void *volatile p = malloc (1);
  free (p);
  __asm__ ("andq $-16, %rsp\n\tpushq %rax\n\tcall work");
}
END
flags="-O2 -mgeneral-regs-only"
compile_plain $flags a.c -o plain
run -s 3 ./plain
for more in -fprofile-mem-mode=full -fprofile-mem-mode=sample -fprofile-mem-mode=objects \
            "-O0 -static"; do
  compile_gen $flags $more a.c -o a
  run -s 3 ./a
  expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
  rm a.memprof.json
done
