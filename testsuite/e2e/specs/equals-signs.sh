# specs/equals-signs.sh - values of options may have signs `=': folders, files, sizes of caches.  GCC gives a plugin
# as many characters too few.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
static int a[1000], b[1000];
int main (int argc, char **argv)
{
  int sum = 0;
  for (int i = 0; i < 1000; i++)
    a[i] = i, b[i] = i * 7 * argc % 1000;
  for (int k = 0; k < 100; k++)
    for (int i = 0; i < 1000; i++)
      sum += a[b[i]] + k;
  printf ("%d %s\n", sum, argv[0] ? "" : "-");
  return 0;
}
END
mkdir -p d=1=2
compile -specs="$specs" -O2 -g -fprofile-mem-generate=d=1=2 a.c -o a
run ./a
[ -f d=1=2/a.memprof.json ] || fail "no profile in d=1=2: $(find . -name '*.json')"
echo a.c:8 >v=1=2
compile -specs="$specs" -O2 -g -fprofile-mem-use=d=1=2/a.memprof.json -fprofile-mem-remarks=r=1=2 \
  -fprofile-mem-veto=v=1=2 -fprofile-mem-caches=L2=1M,LLC=32M,TLB=1536 a.c -o b
[ -s r=1=2 ] || fail "no remarks in r=1=2"
same_output ./a ./b
if $CC -specs="$specs" -O2 -fprofile-mem-use=d=1=2/a.memprof.json -fprofile-mem-caches=L2=1M,LLC=32M,TLB=15X6 \
  -c a.c 2>err; then
  fail "TLB=15X6 is a size"
fi
expect err "caches=L2=1M,LLC=32M,TLB=15X6"
