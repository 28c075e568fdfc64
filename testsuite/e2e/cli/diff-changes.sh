# diff-changes.sh - memprof diff --changes: signed changes, through an edit, and a threshold.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

version () # LINE-BEFORE, COUNT
{
  cat <<END
#include <stdlib.h>
int
main (int argc, char **argv)
{
  long *a = calloc (2000, sizeof *a), sum = 0;
  $1
  for (int i = 1; i < $2; i++)
    a[i] = a[i - 1] + argc;
  for (int i = 0; i < 1000; i++)
    sum += a[i];
  return sum == 0;
}
END
}
profile () # NAME LINE-BEFORE COUNT
{
  version "$2" "$3" >a.c
  compile_gen a.c -o a
  run -o "output=$1.json:merge=0" ./a
}
profile old '' 1000
profile longer '' 1500
profile edited '
  a[3] = argc;' 1000

run "$memprof" diff --changes --threshold=0 old.json old.json
expect out '^functions: 1 unchanged, 0 changed, 0 new, 0 vanished$'
expect out '^accesses: .*0\.0 %'
run "$memprof" diff --changes old.json longer.json
expect out '^accesses: .*\(\+33\.4 %\)$'
expect out '^ +\+500 +999 +1,499 +a\.c:8:[0-9]+ +main +store a\[i\]$'
expect_not out 'vanished +a\.c'
run -s 1 "$memprof" diff --changes --threshold=5 old.json longer.json
run "$memprof" diff --changes --threshold=90 old.json longer.json

# What an edit moves is not lost.
run "$memprof" diff --changes old.json edited.json
expect out '^ +\+1 +0 +1 +new +a\.c:7:[0-9]+ +main +store '
expect_not out '(new|vanished) +a\.c:(8|9|1.):'
run "$memprof" diff --changes --json old.json edited.json
expect out '"presence": "new"'

# The same source in two folders is one program; limits of growth.
cat >twice.c <<'END'
#include <stdlib.h>
int main (int argc, char **argv)
{
  long n = atol (argv[1]), *x = calloc (n, sizeof *x), sum = 0;
  for (long i = 0; i < n; i++)
    sum += x[i] + argc;
  return sum == 1;
}
END
for folder in one two; do
  mkdir -p $folder/src $folder/build
  cp twice.c $folder/src/
  (cd $folder/build && "$CC" -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full \
     "$case_dir/$folder/src/twice.c" -o twice)
done
(cd one/build && ./twice 100000)
(cd two/build && ./twice 100000)
run "$memprof" diff one/build/twice.memprof.json two/build/twice.memprof.json
expect out '^executions +100.0 %$'
run "$memprof" diff --fail-on=accesses,misses+5%,memory,layout one/build/twice.memprof.json two/build/twice.memprof.json
(cd two/build && rm twice.memprof.json && ./twice 200000)
run -s 1 "$memprof" diff --fail-on=accesses+50%,memory+200% one/build/twice.memprof.json two/build/twice.memprof.json
expect err '^memprof: accesses grew by 100.0 %, 50 % are allowed$'
expect_not err 'memory grew'
run "$memprof" diff --format=markdown one/build/twice.memprof.json two/build/twice.memprof.json
expect out '^\| accesses \| 100,001 \| 200,001 \| \+100.0 % \|$'
run -s 2 "$memprof" diff --fail-on=sizes one/build/twice.memprof.json two/build/twice.memprof.json
expect err "'sizes' is none of accesses, misses"
