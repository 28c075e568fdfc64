# The first function of a unit has options of its own, which mean another target.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
__attribute__ ((noipa, optimize ("no-associative-math"))) double add (const double *p)
{
  return *p + 4;
}
double add (const double *) __attribute__ ((optimize ("O2,no-associative-math")));
int main (void)
{
  const double value = 3;
  return add (&value);
}
END
for mode in full sample; do
  compile_gen -Ofast -w -fprofile-mem-mode=$mode a.c -o a
  run -s 7 ./a
done
compile_gen -Ofast -w a.c -o a
rm a.memprof.json
run -s 7 ./a
expect_json a.memprof.json 'equal(site(line=3, kind="load")["executions"], 1)'
