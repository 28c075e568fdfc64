# regularity-options.sh - streams that never end, the window, windows of each function.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
long a[64], far[1 << 16];
static unsigned at = 7;
__attribute__ ((noipa)) static void
scatter (int n)
{
  for (; n > 0; n--)
    far[(at = at * 1103515245 + 12345) >> 16] = n;
}
int
main (void)
{
  long sum = 0;
  for (int i = 0; i < 64; i++)
    {
      scatter (i < 3 ? 4 : 1500);
      sum += a[i];
    }
  return sum != 0;
}
END
compile_gen -fprofile-mem-modules=regularity a.c -o a
# regularity OPTIONS IN-STREAMS: of the 64 loads of `a[i]', which are at least 5 references apart.
regularity ()
{
  run -o "merge=0:period=0:$1" ./a
  expect_json a.memprof.json <<END
one = site(line=16, kind="load")["id"]
row = [r for r in p["regularity"] if r["site"] == one][0]
equal((row["references"], row.get("regular", 0)), (64, $2))
END
}
regularity verbose=0 3
regularity regularity=expire=0 64
regularity regularity=expire=10000,window=50 64
regularity regularity=expire=10000,window=4 0
run -o merge=0:regularity=samples=1 ./a
run "$memprof" validate a.memprof.json
run -o merge=0:regularity=window=1 ./a
expect err 'regularity=window=1 makes no sense'
