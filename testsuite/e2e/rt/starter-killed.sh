# The child that starts memprof-backend is killed right after it: the program does not wait for a minute.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
need strace
strace -o trace true 2>/dev/null || skip "strace may not trace here"
cat >a.c <<'END'
#include <stdio.h>
static volatile int counter;
int main (void) { for (int i = 0; i < 100; i++) counter++; puts ("fine"); return 3; }
END
compile_gen a.c -o a
# The program's child clones the backend, and goes on half a second later.
strace -f -o trace -e trace=clone -e inject=clone:delay_exit=500000:when=1 ./a >out 2>err & tracer=$!
child_of () { sed 's/ .*//' "/proc/$1/task/$1/children" 2>/dev/null; }
starter ()
{
  program=$(child_of $tracer)
  starter=$(child_of "${program:-0}")
  [ -n "$starter" ] && [ -n "$(child_of "$starter")" ]
}
wait_until starter
begin=$(date +%s)
kill -KILL "$starter"
status=0
wait $tracer || status=$?
expect_equal status $status 3
expect out '^fine$'
[ $(($(date +%s) - begin)) -lt 20 ] || fail "it took $(($(date +%s) - begin)) s"
passed
expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
