# rt/no-clock.sh - a program that forbids itself the processor's clock, or all system calls but read, write and
# exit, does what it does.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "a program cannot forbid the clock"
cat >a.c <<'END'
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
struct node { struct node *next; long value; };
static struct node nodes[1 << 16];
static long walk (long n)
{ struct node *p = nodes; long s = 0; for (long i = 0; i < n; i++) s += p->value, p = p->next; return s; }
int main (int argc, char **argv)
{
  long s = 0;
  if (argv[1][0] != 'e')
    {
      for (long i = 0; i < 1 << 16; i++) nodes[i] = (struct node) { &nodes[(i * 7919 + 13) & 0xffff], i };
      s = walk (1 << 22);
    }
  if (argv[1][1] == 't' ? prctl (PR_SET_TSC, PR_TSC_SIGSEGV) : prctl (PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) return 77;
  for (long i = 0; i < 1 << 16; i++) nodes[i] = (struct node) { &nodes[(i * 7919 + 13) & 0xffff], i };
  s += walk (1 << 24);
  write (1, s % 7 ? "other\n" : "seven\n", 6);
  syscall (SYS_exit, 5);
}
END
compile_plain -O2 a.c -o plain
for mode in sample full; do
  compile_gen -fprofile-mem-mode=$mode -O2 a.c -o a
  for when in lt ls et es; do
    run -s 5 ./plain $when
    cp out wanted
    run -s 5 ./a $when
    cmp out wanted || fail "$mode, $when: the output differs"
  done
done
passed
