# The only function of a unit has options of its own, which mean another target.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
__attribute__ ((optimize ("no-associative-math"))) double add (const double *p)
{
  return *p + 4;
}
double add (const double *) __attribute__ ((optimize ("O2,no-associative-math")));
END
cat >main.c <<'END'
double add (const double *);
int main (void)
{
  const double value = 3;
  return add (&value);
}
END
for mode in sample full; do
  compile_gen -Ofast -w -fprofile-mem-mode=$mode a.c main.c -o a
  rm -f a.memprof.json
  run -s 7 ./a
done
expect_json a.memprof.json 'equal(site(line=3, kind="load")["executions"], 1)'
