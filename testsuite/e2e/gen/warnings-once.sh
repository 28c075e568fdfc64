# What GCC says of the source, it says of the instrumented and of the rebuilt program: once.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct text { int from[5000], to[5000], scale; };
static struct text text;
__attribute__ ((noinline)) static void sum (int *to, int *from, int *scale, int n)
{
  for (int i = 0; i < 4990; i++)
    to[i] += from[i] * *scale;
  memcpy (text.from, text.from + 1, n > 8 ? n : 8);
}
__attribute__ ((noinline)) static long use (int n)
{
  int *p = malloc (n * sizeof *p);
  for (int i = 0; i < n; i++) p[i] = i;
  free (p);
  return (long) p;
}
int main (int argc, char **argv)
{
  for (int i = 0; i < 200; i++) sum (text.to, text.from, &text.scale, argc);
  printf ("%d %d\n", text.to[7], use (argc) == 0);
  return argv == 0;
}
END
said () # HOW OPTIONS...: what the compiler says, without the build's own lines
{
  how=$1
  shift
  gcc_says=$($CC -O3 -g -Wall "$@" a.c -o "$how" 2>&1) || fail "$how: $gcc_says"
  printf '%s\n' "$gcc_says" | grep 'warning:' | sort >"said.$how" || :
}
said plain
expect_equal "what GCC says" "$(sed 's/.*\[//' said.plain | paste -sd' ')" "-Wrestrict] -Wuse-after-free]"
for mode in sample full objects; do
  said $mode -specs="$specs" -fprofile-mem-generate -fprofile-mem-mode=$mode
  diff said.plain said.$mode >&2 || fail "$mode: other warnings"
  passed
done
run ./full
said use -specs="$specs" -fprofile-mem-use=full.memprof.json -fprofile-mem-remarks=remarks
expect remarks '"kind":"versioning","taken":true'
diff said.plain said.use >&2 || fail "use: other warnings"
passed
