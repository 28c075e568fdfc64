# Where the profile goes when the program's folder has a long name or none, when it
# has given up its rights, and when /proc is not its own.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int *block;
__attribute__ ((noinline)) static int sum (void)
{
  int s = 0;
  for (int i = 0; i < 250; i++) s += block[i];
  return s;
}
int main (int argc, char **argv)
{
  block = malloc (1000);
  for (int i = 0; i < 250; i++) block[i] = 1;
  if (argc > 1 && (!strcmp (argv[1], "drop") ? setuid (65534) : rmdir (argv[1]))) return 1;
  fflush (NULL);
  if (fork () == 0) _exit (sum () & 127);
  int status;
  wait (&status);
  printf ("%d\n", WEXITSTATUS (status));
  return 0;
}
END
readable_by_others
compile_gen a.c -o a
# The name is longer than those that a fixed buffer usually holds.
folder=$PWD/$(printf '%0200d/%0200d/%0200d/%0200d/%0200d/%0200d' 1 2 3 4 5 6)
mkdir -p "$folder"
cp a "$folder"
(cd "$folder"; ../../../../../../a >/dev/null && ./a >/dev/null)
expect_json "$folder/a.memprof.json" 'equal([p["run"]["runs"], p["run"]["complete"]], [2 + 2, True])'
(cd "$folder"; MPRT_OPTIONS=backend=/no/such/backend ./a >/dev/null 2>err
 expect_equal streams "$(ls | grep -c '^a\.[0-9]*\.memprof-stream$')" 2)
# It goes while the program runs, and is there again; it was gone before.
mkdir gone
(cd gone; ../a "$PWD") >out 2>err
expect_equal "stdout and stderr" "$(cat out err)" 122
expect_json gone/a.memprof.json 'equal(p["run"]["runs"], 2)'
rm -r gone; mkdir gone
(cd gone; rmdir ../gone; "$case_dir/a") >out 2>err
expect out '^122$'
expect err '^memprof: the folder in which the program began has no name'
# The child asks for its name when it must not any more.
rm -f a.memprof.json
family () # one profile of the program and its child
{
  expect_equal stderr "$(cat err)" ""
  expect_json a.memprof.json 'equal([p["run"]["runs"], p["run"]["complete"]], [2, True])'
}
if [ "$(id -u)" = 0 ]; then
  chmod 777 .
  run ./a drop
  expect out '^122$'
  family
  rm a.memprof.json
fi
if unshare -rpf true 2>/dev/null; then
  run unshare -rpf ./a
  family
  expect_json a.memprof.json 'equal([g for g in p["groups"] if g["kind"] == "unknown"], [])'
  # The same build as in the name space.
  run ./a
  expect_json a.memprof.json 'equal(p["run"]["runs"], 4)'
fi
