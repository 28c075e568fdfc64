# Functions of the Microsoft calling convention, one or all of a unit: the runtime's are not.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "no other calling convention"
cat >a.c <<'END'
#define SYSTEM __attribute__ ((sysv_abi))
SYSTEM int printf (const char *, ...);
int a[100];
__attribute__ ((noipa, ms_abi)) int sum (int first, int last, const int *from)
{
  int sum = 0;
  for (int i = first; i < last; i++)
    sum += from[i * 7 % 100];
  return sum;
}
SYSTEM int main (void)
{
  for (int i = 0; i < 100; i++)
    a[i * 3 % 100] = i;
  for (int i = 0; i < 20; i++)
    a[0] += sum (i, 100, a);
  printf ("%d\n", a[0]);
}
END
for abi in sysv ms; do
  compile_plain -mabi=$abi a.c -o plain
  for mode in full sample; do
    compile_gen -mabi=$abi -fprofile-mem-mode=$mode a.c -o $abi-$mode
    same_output ./plain ./$abi-$mode
    expect_json $abi-$mode.memprof.json "check(p['run']['complete'])"
  done
done
