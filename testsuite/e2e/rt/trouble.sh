# Trouble with the backend is one line; the program itself runs as ever.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
static void *work (void *p) { for (int i = 0; i < 500000; i++) LOAD (&x); return p; }
int main (void)
{
  pthread_t t;
  pthread_create (&t, 0, work, 0);
  work (0);
  pthread_join (t, 0);
  puts ("fine");
  return 3;
}
END
hand a.c -o a
one_line () { expect_equal "lines on stderr" "$(wc -l <err)" 1; expect err "$1"; expect out '^fine$'; }
ok=backend=$consumer:output=$PWD/count
run -s 3 -o "$ok:fault=die" timeout 60 ./a;      one_line 'memprof-backend has died'
run -s 3 -o "$ok:fault=fail" ./a;     one_line 'asked to fail'
run -s 3 -o "backend=/bin/false" timeout 60 ./a; one_line 'memprof-backend has died'
run -s 3 -o "backend=/no/such/backend:file=" ./a; one_line 'cannot write the event stream'
mkdir dir; cd dir
touch not-executable
run -s 3 -o "backend=$PWD/not-executable" ../a; one_line 'not-executable: this user may not execute it'
rm a.*
run -s 3 -o "backend=/no/such/backend" ../a; one_line '/no/such/backend: no such file.*memprof-backend --from .*/dir/a\.[0-9]*\.memprof-stream$'
expect_file "$(echo a.*.memprof-stream)"
rm -f a.*
run -s 3 -o "file=/no/such/dir/x" ../a; one_line 'nothing is recorded'
run -s 3 -o "file=/dev/full" ../a; one_line 'nothing'
cd ..
run -s 3 -o "$ok:outptu=x" ./a; one_line "unknown key 'outptu=?x?'"
run -s 3 -o "$ok:merge" ./a;    one_line "expected KEY=VALUE"
run -s 3 -o "$ok:off=1" ./a;    expect_equal "stderr" "$(cat err)" ""
run -s 3 -o "$ok:help=1:off=1" ./a; expect err 'output=PATTERN'; expect_not err 'fault='
emulated || # which needs more
(ulimit -v 200000; run -s 3 -o "$ok" ./a; one_line 'nothing is recorded')
rm -f count
(ulimit -f 1000; run -s 3 -o "backend=$consumer" ./a; expect out '^fine$')
(ulimit -S -f 1000; run -s 3 -o "$ok" ./a)
counted loads 1000000
