# Children of fork behave in every mode as without profiling, and their profiles go
# where the program began, wherever they go themselves.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int cell[100];
__attribute__ ((noinline)) static int work (int n)
{
  for (int i = 0; i < 1000; i++)
    cell[i % 100] += n;
  return cell[7];
}
static void handle (int s)
{
  int status;
  pid_t child = fork ();
  if (child == 0) { _exit (chdir ("elsewhere") ? 99 : work (s) & 63); }
  waitpid (child, &status, 0);
  printf ("%x\n", status);
}
int main (void)
{
  int status;
  signal (SIGUSR1, handle);
  work (1);
  fflush (stdout);
  pid_t child = fork ();
  if (child == 0)
    {
      if (chdir ("elsewhere") || fork () == 0) exit (work (2) & 63);
      wait (&status);
      exit ((work (3) + status) & 63);
    }
  waitpid (child, &status, 0);
  printf ("%x\n", status);
  raise (SIGUSR1);
  return 0;
}
END
compile_plain a.c -o plain
mkdir elsewhere
for flags in "" -fprofile-mem-mode=sample -fprofile-mem-mode=objects -static \
             "-static -fprofile-mem-mode=sample"; do
  compile_gen $flags a.c -o a
  same_output ./plain ./a
  expect_equal "files elsewhere" "$(ls elsewhere)" ""
  # Samples leave handlers out; a child that has no objects of its own starts no
  # backend.
  case $flags in *sample*) runs=3 ;; *objects*) runs=1 ;; *) runs=4 ;; esac
  expect_json a.memprof.json "equal([p['run']['runs'], p['run']['complete']], [$runs, True])"
  rm -f a.memprof.json
done
