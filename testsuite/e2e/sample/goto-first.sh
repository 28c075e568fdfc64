# Functions that begin with a target of computed gotos: nothing to copy in front of it.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
__attribute__ ((noipa)) int count (const int *code, int *stack)
{
  static void *const labels[] = { &&next, &&add, &&end };
next:
  *stack += 1;
  goto *labels[*code++];
add:
  *stack += 10;
  goto *labels[*code++];
end:
  return *stack;
}
int main (void)
{
  static const int code[] = { 0, 1, 0, 1, 1, 2 };
  int stack = 0, sum = 0;
  for (int i = 0; i < 3000; i++)
    sum += count (code, &stack) & 255;
  printf ("%d %d\n", stack, sum);
}
END
full_and_sample a.c
run ./a
cmp out wanted || fail "the sampled program prints something else"
expect_json a.memprof.json 'equal(4000 < site(line=6, kind="store")["executions"] < 20000, True)'
