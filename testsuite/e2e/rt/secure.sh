# A program with more rights than its user obeys no MPRT_OPTIONS, writes nothing
# and says nothing.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "ptrace of its registers"
cat >a.c <<'END'
#include <stdio.h>
#include <sys/auxv.h>
int main (void)
{
  long x[10] = { 0 };
  for (volatile int i = 0; i < 1000; i++) x[i % 10] += i;
  printf ("%ld\n", x[3]);
  return getauxval (AT_SECURE) ? 0 : 5;
}
END
# For users who cannot give a program more rights: it begins as one that has them.
cat >as_secure.c <<'END'
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
int main (int argc, char **argv)
{
  int status;
  struct user_regs_struct registers;
  pid_t child = fork ();
  if (child == 0)
    return ptrace (PTRACE_TRACEME, 0, 0, 0) || execv (argv[1], argv + 1);
  waitpid (child, &status, 0);
  if (ptrace (PTRACE_GETREGS, child, 0, &registers)) return 5;
  /* argc, the arguments, a zero, the environment, a zero, pairs of numbers */
  long at = registers.rsp + 8 * argc;
  do at += 8; while (ptrace (PTRACE_PEEKDATA, child, at, 0));
  for (at += 8; ptrace (PTRACE_PEEKDATA, child, at, 0) != AT_SECURE; at += 16);
  ptrace (PTRACE_POKEDATA, child, at + 8, 1);
  ptrace (PTRACE_DETACH, child, 0, 0);
  waitpid (child, &status, 0);
  return WEXITSTATUS (status);
}
END
readable_by_others
compile_gen a.c -o a
compile_gen -static a.c -o static
compile_plain as_secure.c -o as_secure
chmod 777 .
as=
[ "$(id -u)" = 0 ] || as=./as_secure
for program in a static; do
  run -s 5 ./$program
  expect_file $program.memprof.json
  rm $program.memprof.json
  [ -n "$as" ] || { chown 65534 $program; chmod u+s $program; }
  status=0
  MPRT_OPTIONS=verbose=1:help=1:output=$PWD/p.json:file=$PWD/stream \
    $as ./$program >out 2>err || status=$?
  [ $status != 5 ] || skip "neither set-user-ID nor tracing has an effect here"
  expect_equal status $status 0
  expect out '^49800$'
  expect_equal stderr "$(cat err)" ""
  expect_no_file $program.memprof.json
  expect_no_file p.json
  expect_no_file stream
done
