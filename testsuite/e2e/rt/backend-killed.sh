# memprof-backend is killed, or has no room, while the program runs.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
#include <unistd.h>
static volatile int counter;
int main (void)
{
  do
    for (int i = 0; i < 100000; i++) counter++;
  while (access ("go", F_OK) != 0);
  puts ("fine");
  return 3;
}
END
compile_gen a.c -o a
: >err
MPRT_OPTIONS=verbose=1 ./a >out 2>err & program=$!
wait_until grep -q 'memprof-backend is process [0-9]*$' err
backend=$(sed -n 's/.*memprof-backend is process \([0-9]*\)$/\1/p' err)
kill -KILL "$backend"
gone () { ! grep -q "^State:.[^ZX]" "/proc/$backend/status" 2>/dev/null; }
wait_until gone
touch go
status=0
wait $program || status=$?
expect_equal status $status 3
expect out '^fine$'
expect err '^memprof: memprof-backend has died'
expect_no_file a.memprof.json
if ! emulated; then # which needs more addresses itself
# Less address space than the backend reserves: a soft limit is the program's
# alone, a hard one costs the profile.
(ulimit -S -v 2000000; run -s 3 ./a; expect_equal stderr "$(cat err)" "")
expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
rm a.memprof.json
(ulimit -v 2000000; run -s 3 ./a; expect out '^fine$'
 expect_equal "lines on stderr" "$(wc -l <err)" 1
 expect err '^memprof: .*memory')
expect_no_file a.memprof.json
fi
# A small stack is enough for the backend.
(ulimit -s 256; run -s 3 ./a; expect_equal stderr "$(cat err)" "")
expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
