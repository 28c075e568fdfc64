# specs/lto.sh - instrumentation with -flto, in one step and in two, slim and fat.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int value (int);
int table[100];
int main (void)
{
  int s = 0;
  for (int i = 0; i < 100; i++) table[i] = value (i);
  for (int i = 0; i < 100; i++) s += table[i];
  return s != 4950;
}
END
echo 'int value (int i) { return i; }' >b.c
check ()
{
  rm -f prog.memprof.json
  run ./prog
  expect_json prog.memprof.json <<'END'
equal(p["run"]["stores"], 100)
equal(p["run"]["loads"], 100)
END
}
compile_gen -flto a.c b.c -o prog
check
compile_gen -flto -c a.c
compile_gen -flto -c b.c
compile_gen -flto a.o b.o -o prog
check
compile_gen -flto -ffat-lto-objects -c a.c
compile_gen -flto -ffat-lto-objects -c b.c
compile_gen -flto a.o b.o -o prog
check
compile_gen -fno-lto a.o b.o -o prog
check
