# Under `ulimit -v', as batch systems have it: 8 GB are enough for a backend, and with less the
# program says so and runs as ever.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main (void)
{
  long sum = 0;
  for (int round = 0; round < 100; round++)
    {
      long *p = malloc (8000);
      for (int i = 0; i < 1000; i++) p[i] = i + round;
      for (int i = 0; i < 1000; i++) sum += p[i * 7 % 1000];
      free (p);
    }
  printf ("%ld\n", sum);
}
END
compile_plain a.c -o plain
for mode in full sample objects; do
  compile_gen -fprofile-mem-mode=$mode a.c -o a
  (ulimit -v 8000000; same_output ./plain ./a)
  expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
  rm a.memprof.json
done
compile_gen a.c -o a
run ./plain
cp out wanted
(ulimit -v 2000000; run ./a)
cmp out wanted
expect err '^memprof: memprof-backend is out of memory$'
