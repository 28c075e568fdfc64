#!/bin/sh
# cli/header-loops.sh - loops and functions of headers carry their file, and advice names only
# variables that stand there.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >scale.h <<'END'
template <typename T>
struct Scaler {
  T *to; const T *from; long n;
  __attribute__ ((noinline)) void run (const T &factor) {
    for (long i = 0; i < n; i++)
      to[i] = from[i] * factor;
  }
};
END
cat >a.cc <<'END'
#include "scale.h"
static double a[4000], b[4000], factor = 2;
int
main ()
{
  for (int i = 0; i < 4000; i++) b[i] = i;
  Scaler<double> s{a, b, 4000};
  for (int k = 0; k < 30; k++) s.run (factor);
  return a[3] != 6;
}
END
compile_gen a.cc -o a
run ./a
expect_json a.memprof.json '
f, = [f for m in p["modules"] for f in m["functions"] if "run" in f["name"]]
equal([f["file"], f["line"]], ["scale.h", 4])
equal([(l["file"], l["line"]) for l in f["loops"]], [("scale.h", 5)])
main, = [f for m in p["modules"] for f in m["functions"] if f["name"].startswith("main")]
check("file" not in main and all("file" not in l for l in main["loops"]), main)'
run "$memprof" advise --all a.memprof.json
expect out '^ *.*scale\.h:5: loop in '
expect_not out 'a\.cc:5: loop'
run "$memprof" show --loops a.memprof.json
expect out ' scale\.h:5 '
# The option takes the place as it is shown.
compile_gen -fprofile-mem-loops=scale.h:5 a.cc -o part
run ./part
expect_json part.memprof.json 'equal(p["run"]["stores"], 30 * 4000)'
