# A program with more rights than its user obeys no MPRT_OPTIONS, writes nothing
# and says nothing.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
[ "$(id -u)" = 0 ] || skip "only root can give a program another user's rights"
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
compile_gen a.c -o a
compile_gen -static a.c -o static
chmod 777 .
for program in a static; do
  run -s 5 ./$program
  expect_file $program.memprof.json
  rm $program.memprof.json
  chown 65534 $program; chmod u+s $program
  status=0
  MPRT_OPTIONS=verbose=1:help=1:output=$PWD/p.json:file=$PWD/stream \
    ./$program >out 2>err || status=$?
  [ $status != 5 ] || skip "set-user-ID has no effect here"
  expect_equal status $status 0
  expect out '^49800$'
  expect_equal stderr "$(cat err)" ""
  expect_no_file $program.memprof.json
  expect_no_file p.json
  expect_no_file stream
done
