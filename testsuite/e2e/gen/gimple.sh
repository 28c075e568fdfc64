# A function written in GIMPLE, whose variables the gimplifier has never seen.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
int __attribute__ ((noipa)) __GIMPLE (ssa) pick (int j)
{
  int c[4];
  int _1;
__BB(2):
  c[0] = 1;
  c[1] = 2;
  c[2] = 3;
  c[3] = 4;
  _1 = c[j_2(D)];
  return _1;
}
int main (int argc, char **argv) { return pick (argc + 1); }
END
for flags in -O0 -O2 "-O2 -fprofile-mem-mode=sample"; do
  compile_gen -fgimple -fchecking $flags a.c -o a
  run -s 3 ./a
done
rm a.memprof.json
compile_gen -fgimple a.c -o a
run -s 3 ./a
expect_json a.memprof.json 'equal(site(kind="load")["executions"], 1)'
compile_use -fgimple a.c -o use
run -s 3 ./use
