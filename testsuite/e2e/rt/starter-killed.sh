# The child that starts memprof-backend is killed right after that, and the backend, too: the program does not
# wait for it.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
on_hardware "strace"
need strace
strace -o trace true 2>/dev/null || skip "strace may not trace here"
cat >a.c <<'END'
#include <stdio.h>
static volatile int counter;
int main (void) { for (int i = 0; i < 100; i++) counter++; puts ("fine"); return 3; }
END
compile_gen a.c -o a
# Killed before it has seen the program.
printf '#!/bin/sh\nexec /bin/sleep 1000\n' >backend
chmod +x backend
# The program's child clones the backend, and goes on half a second later.
MPRT_OPTIONS=backend=$PWD/backend strace -f -o trace -e trace=clone -e inject=clone:delay_exit=500000:when=1 ./a >out 2>err & tracer=$!
child_of () { sed 's/ .*//' "/proc/$1/task/$1/children" 2>/dev/null; }
starter ()
{
  program=$(child_of $tracer)
  starter=$(child_of "${program:-0}")
  backend=$(child_of "${starter:-0}")
  [ -n "$backend" ]
}
wait_until starter
begin=$(date +%s)
kill -KILL "$starter" "$backend"
status=0
wait $tracer || status=$?
expect_equal status $status 3
expect out '^fine$'
[ $(($(date +%s) - begin)) -lt 20 ] || fail "it took $(($(date +%s) - begin)) s"
passed
expect err 'memprof-backend has died'
expect_no_file a.memprof.json
