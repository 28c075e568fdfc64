# backend-ends.sh - the backend ends when its program has; what is said when it dies as it writes.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <sys/syscall.h>
#include <unistd.h>
int v[9];
int main (int argc, char **argv)
{
  for (int i = 0; i < 9; i++)
    v[i] += i;
  char *sleep[] = { "sleep", "100", 0 }, *none[] = { 0 };
  if (argc > 1) /* without libc, which would tell the runtime */
    syscall (SYS_execve, "/bin/sleep", sleep, none);
  return argv == 0;
}
END
compile_gen a.c -o a

# The process lives on as another program: its profile is written all the same.
./a exec & process=$!
wait_until [ -s a.memprof.json ]
kill -0 $process || fail "the process has ended"
kill $process
expect_json a.memprof.json 'equal(p["run"]["complete"], False)'

# Another writer has the lock on the profile; the backend that waits for it is killed.
"$PYTHON" -c 'import fcntl, time; f = open("a.memprof.json"); fcntl.flock(f, fcntl.LOCK_EX)
open("locked", "w").close(); time.sleep(100)' & locker=$!
wait_until [ -e locked ]
MPRT_OPTIONS=verbose=1 ./a 2>err & process=$!
wait_until grep -q 'memprof-backend is process' err
backend=$(sed -n 's/.*memprof-backend is process \([0-9]*\).*/\1/p' err)
# It waits for the lock with the file open.
wait_until sh -c "ls -l /proc/$backend/fd | grep -q a.memprof.json"
kill -9 "$backend"
wait $process
kill $locker
expect err 'memprof: memprof-backend has died while it wrote the profile; this run may be missing'
expect_not err 'no profile'
