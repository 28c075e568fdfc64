# A message about trouble kills no process, goes to no file of the program and leaves no
# descriptor behind.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static volatile int cell[10];
int main (int argc, char **argv)
{
  if (argc > 1)
    close (2), open (argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (int i = 0; i < 100000; i++)
    cell[i % 10] += i;
  int n = 0;
  while (n < 1000 && open ("/dev/null", O_RDONLY) >= 0)
    n++;
  printf ("%d descriptors, %d\n", n, cell[3]);
  return argc > 1 ? (int) write (2, "mine\n", 5) : 3;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
(ulimit -n 100; run -s 3 ./plain); cp out expected
head -c 512 /dev/zero >full
mkfifo messages
for trouble in output=/proc/no/such file=/dev/full; do
  (ulimit -n 100; run -s 3 -o $trouble ./a)
  cmp out expected || fail "$trouble: other descriptors"
  expect err '^memprof: '
  MPRT_OPTIONS=$trouble; export MPRT_OPTIONS
  # No process reads the message.
  s=0; (exec 3<>messages 4>messages 3<&-; exec ./a >out 2>&4) || s=$?
  expect_equal "status without a reader" $s 3
  # The file that is to have the message is as long as it may be.
  cp full limited
  s=0; (ulimit -f 1; exec ./a >/dev/null 2>>limited) || s=$?
  expect_equal "status at the limit of file sizes" $s 3
  # Descriptor 2 is something else by now, or was closed when the program began.
  run -s 5 ./a data
  expect_equal data "$(cat data)" mine
  s=0; ./a data >/dev/null 2>&- || s=$?
  expect_equal "status and data" "$s $(cat data)" "5 mine"
  unset MPRT_OPTIONS
done
