# A profile that cannot be written is one line; the program runs as ever.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main (int argc, char **argv)
{
  long x[10] = { 0 };
  for (volatile int i = 0; i < 100000; i++) x[i % 10] += i;
  printf ("%ld\n", x[3]);
  fflush (stdout);
  if (argc > 1) kill (getpid (), SIGKILL);
  return x[0] & 4;
}
END
readable_by_others
compile_gen a.c -o a
compile_plain a.c -o plain
run ./plain; cp out expected
one_line ()
{
  cmp out expected || fail "other output"
  expect_equal "lines on stderr" "$(wc -l <err)" 1
  expect err "^memprof: .*$1"
}
run -o output=/dev/full/x ./a; one_line '/dev/full/x'
run -o output=/proc/no/such ./a; one_line '/proc/no/such'
# Root may write anywhere: then as another user.
mkdir read-only; chmod a-w read-only
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
for place in read-only/x read-only/folder/x; do
  run -o output=$place $as ./a; one_line "/$place.*Permission denied"
done
# Killed: soon the profile stands, marked as incomplete.
status=0
./a kill >out 2>err || status=$?
expect_equal status $status 137
wait_until [ -s a.memprof.json ]
expect_json a.memprof.json <<'END'
equal(p["run"]["complete"], False)
equal(sum(s["executions"] for s in sites() if s["kind"] == "store" and s["line"] == 7) > 100000, True)
END
# A backslash takes a separator as it is; `memprof run' writes such ones.
mkdir "o:1"
compile_gen -x c - -o quoted <<'END'
int main (void) { volatile int x[4]; x[0] = 1; return x[0] - 1; }
END
run -o 'output=o\:1/a\ b.json:modules=dependence\:all' ./quoted
expect_json "o:1/a b.json" 'equal(["dependences" in p, "strides" in p], [True, False])'
"$memprof" run -o "o:1/c\\d.json" ./quoted
expect_file 'o:1/c\d.json'
