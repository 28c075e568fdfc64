# What runs before the C library knows the environment is recorded, as MPRT_OPTIONS asks.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
static int a[100];
static void early (int argc, char **argv, char **environment)
{
  for (int i = 0; i < 100; i++) a[i] = i;
}
__attribute__ ((section (".preinit_array"), used))
static void (*pointer) (int, char **, char **) = early;
int main (void)
{
  int sum = 0;
  for (int i = 0; i < 100; i++) sum += a[i * 7 % 100];
  printf ("%d\n", sum);
}
END
long=$(head -c 511 /dev/zero | tr '\0' x)
for flags in -O2 "-O2 -static" -fprofile-mem-mode=sample; do
  compile_gen $flags a.c -o a
  MPRT_OPTIONX=1 MPRT_OPTIONS=output=other.json X_MPRT_OPTIONS=1 run ./a
  expect_equal "what $flags prints" "$(cat out)" 4950
  expect_json other.json <<'END'
equal(p["run"]["complete"], True)
check(40 <= site(line=12, kind="load")["executions"] <= 200, "loads in main")
END
  [ ! -e a.memprof.json ] || fail "$flags: a profile where none was asked for"
  rm other.json
done
MPRT_OPTIONS=$long run ./a
expect err '^memprof: MPRT_OPTIONS: longer than 510 characters: .x'
