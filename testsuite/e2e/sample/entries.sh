# sample/entries.sh - the loops of main and of functions that are seldom called have exactly the entries that
# they have, in a forked process and a library that is opened twice, too.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >lib.c <<'END'
long walk (long *a, long n) { long s = 0; for (long i = 0; i < n; i++) s += a[a[i] & 1023]; return s; }
END
cat >a.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static long a[1024];
static __attribute__ ((noinline)) long few (long n)
{ long s = 0; for (long i = 0; i < n; i++) s += a[a[i & 1023] & 1023]; return s; }
int main (void)
{
  long s = 0;
  for (long i = 0; i < 1024; i++) a[i] = i * 7;
  for (long i = 0; i < 3000000; i++) s += a[a[i & 1023] & 1023];
  s += few (1000000);
  if (fork () == 0) { for (int k = 0; k < 2; k++) s += few (900000 + k); return s == 1; }
  wait (0);
  for (int k = 0; k < 3; k++) s += few (500000 + k);
  for (int k = 0; k < 2; k++)
    {
      void *lib = dlopen ("./lib.so", RTLD_NOW);
      s += ((long (*) (long *, long)) dlsym (lib, "walk")) (a, 1024);
      dlclose (lib);
    }
  printf ("%ld\n", s);
}
END
compile_gen -fprofile-mem-mode=sample -O2 -shared -fPIC lib.c -o lib.so
compile_gen -fprofile-mem-mode=sample -O2 a.c -o a -ldl
run -o output=%p.json ./a
# Each profile: loops that are in no other have their entries, exactly if the share that they may be off is 0, as in
# main. A count may be lost to a burst; it is then an estimate, and says so.
"$PYTHON" - *.json <<'END' || fail "entries of outer loops"
import json, sys
truth = {("few", 7): (4, 2), ("main", 11): (1,), ("main", 12): (1,), ("walk", 1): (2,)}
seen = []
for path in sys.argv[1:]:
    for module in json.load(open(path))["modules"]:
        for f in module["functions"]:
            for loop in f["loops"]:
                if loop.get("iterations") and "parent" not in loop:
                    place, entries, error = (f["name"], loop["line"]), loop["invocations"], loop.get("invocations_error", 0)
                    print(*place, entries, error)
                    assert any(abs(entries - true) <= error * entries for true in truth[place]), place
                    seen.append((place, error))
assert sorted(place for place, _ in seen) == [("few", 7)] * 2 + [("main", 11), ("main", 12), ("walk", 1)], seen
assert all(error == 0 for place, error in seen if place[0] == "main") and sum(error != 0 for _, error in seen) <= 1, seen
END
passed
