# merge-library.sh - the tests of a library: their profiles add up to one of the library, for show and for a rebuild.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >lib.c <<'END'
long total (const int *a, int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++) sum += a[i];
  return sum;
}
END
cat >one.c <<'END'
#include <stdio.h>
long total (const int *, int);
static int a[N];
int main (void) { printf ("%ld\n", total (a, N)); return 0; }
END
sed 's/a\[N\]/b[N]/; s/(a, N)/(b, N)/' one.c >two.c
compile_gen -fPIC -shared lib.c -o libtotal.so
for program in one two; do
  [ $program = one ] && n=1000 || n=300
  compile_gen -DN=$n $program.c -L. -ltotal -Wl,-rpath,"$PWD" -o $program
  run ./$program
done
run -s 2 "$memprof" merge one.memprof.json two.memprof.json
expect err 'a profile of two, but one.memprof.json is one of one'
run "$memprof" merge --library=libtotal one.memprof.json two.memprof.json -o libtotal.memprof.json
expect_equal "messages" "$(cat err)" ""
validate libtotal.memprof.json
expect_json libtotal.memprof.json <<'END'
equal(p["program"]["name"], "libtotal")
equal(p["run"]["runs"], 2)
equal(site(line=4, kind="load")["executions"], 1300)
END
run "$memprof" show one.memprof.json two.memprof.json
expect out '^one\+two: '
expect out ' 1,300 +load .* lib.c:4:'
"$memprof" merge --library=libtotal two.memprof.json one.memprof.json | cmp - libtotal.memprof.json || fail "the order matters"
rm -f remarks
compile_use -fprofile-mem-use=libtotal.memprof.json -fprofile-mem-remarks=remarks -fPIC -shared lib.c -o libtotal.so
expect remarks '"function":"total","how":"matched"'
