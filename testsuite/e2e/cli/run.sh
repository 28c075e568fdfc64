# cli/run.sh - memprof run: options for the program, names of the profiles, its status.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int a[100];
int main (int argc, char **argv)
{
  for (int i = 0; i < 100; i++) a[i] = i * argc;
  if (argc > 1 && argv[1][0] == 'f' && fork () == 0)
    { a[5]++; return 0; }
  wait (0);
  return argc > 2 ? atoi (argv[2]) : 0;
}
END
compile_gen a.c -o a
run "$memprof" run ./a
expect err '^memprof: profile in a.memprof.json: 100 accesses$'
expect err '^memprof: a page to look at: memprof report a.memprof.json$'
expect_file a.memprof.json

mkdir out.d
run -s 3 "$memprof" run -o 'out.d/%n-x.json' --modules=stride ./a x 3
expect err 'profile in out.d/a-x.json'
expect_json out.d/a-x.json 'equal("strides" in p and "points_to" not in p, True)'

# Added to, then replaced.
run "$memprof" run ./a
expect_json a.memprof.json 'equal(p["run"]["runs"], 2)'
run "$memprof" run --replace ./a
expect_json a.memprof.json 'equal(p["run"]["runs"], 1)'

# Both processes say where their counts went: into the same file.
run "$memprof" run --json ./a f
"$PYTHON" - <<'END'
import json
report = json.load(open("err"))
assert report["exit_status"] == 0, report
assert report["profiles"] == ["a.memprof.json"], report
END
passed

# What the user has in MPRT_OPTIONS stays.
run -o merge=0 "$memprof" run ./a
expect_json a.memprof.json 'equal(p["run"]["runs"], 1)'
