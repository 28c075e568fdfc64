# trouble.sh - streams that are missing, damaged, of another run, or cannot be written.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <signal.h>
#include <stdlib.h>
int
main (int argc, char **argv)
{
  volatile int *a = calloc (1000, sizeof *a);
  for (int i = 0; i < 1000; i++)
    a[i] += i * argc;
  if (argc == 1)
    a[0]++; // the first run is another one, also where addresses are never random
  if (argc > 2)
    raise (SIGKILL);
  return 0;
}
END
compile_gen -fprofile-mem-modules=whole_stream,stride a.c -o a
run ./a
[ -s a.memprof.streams ] || fail "no file of streams"
run "$memprof" streams --sizes a.memprof.json
expect out 'OMSG'
cp a.memprof.streams kept
# A second run replaces the first, and says so.
run ./a 1
expect err 'replaced, not merged: whole streams cannot be merged'
run "$memprof" streams --json a.memprof.json
expect out '"accesses": *2000'
mv kept a.memprof.streams
run -s 2 "$memprof" streams a.memprof.json
expect err 'a.memprof.streams: it belongs to another run'
head -c 300 a.memprof.streams >cut
mv cut a.memprof.streams
run -s 2 "$memprof" streams --expand a.memprof.json
expect err 'a.memprof.streams:byte [0-9]*: '
rm a.memprof.streams
run -s 2 "$memprof" streams a.memprof.json
expect err 'a.memprof.streams: cannot open'
run "$memprof" validate a.memprof.json
run "$memprof" show a.memprof.json
# Sums have no streams.
cp a.memprof.json b.json
run "$memprof" merge a.memprof.json b.json -o sum.json
expect err 'whole_stream'
run -s 2 "$memprof" streams sum.json
expect err 'it has no streams'
# A program that is killed.
rm -f a.memprof.*
run -s 137 ./a 1 2
wait_until [ -s a.memprof.json ]
expect_json a.memprof.json <<'END'
equal(p["run"]["complete"], False)
END
run "$memprof" streams --expand a.memprof.json
[ "$(grep -c 'a.c:8' out)" = 2000 ] || fail "accesses of the killed program are missing"
# A file that cannot be written: the profile stands.
mkdir -p d/a.memprof.streams
run -o output=d/ ./a
expect err 'a.memprof.streams: cannot write'
run "$memprof" validate d/a.memprof.json
run -s 2 "$memprof" streams d/a.memprof.json
expect err 'could not be written'
# Modes that do not see all accesses.
for mode in sample objects; do
  compile_gen -fprofile-mem-mode=$mode -fprofile-mem-modules=whole_stream a.c -o m
  run ./m
  expect err 'module whole_stream cannot work'
  [ ! -e m.memprof.streams ] || fail "streams in mode $mode"
done
