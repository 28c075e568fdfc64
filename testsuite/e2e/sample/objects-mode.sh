#!/bin/sh
# objects-mode.sh - -fprofile-mem-mode=objects: births and deaths of large objects.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
#include <string.h>
void *volatile kept;
static __attribute__ ((noinline)) char *grow (char *p, size_t n)
{
  return realloc (p, n);
}
int
main (int argc, char **argv)
{
  size_t n = argc * 5000;
  for (int i = 0; i < 1000; i++)
    {
      char *small = malloc (argc * 100), *large = malloc (n);
      memset (large, i, n);
      kept = small;
      kept = large;
      free (small);
      free (large);
    }
  char *p = malloc (50);
  kept = p;
  p = grow (p, 3 * n);
  kept = p;
  p = grow (p, 6 * n);
  kept = p;
  p = grow (p, 60);
  kept = calloc (argc, 4096);
  free (p);
  return 0;
}
END
compile_gen -fprofile-mem-mode=objects a.c -o a
nm a >symbols
expect_not symbols '__mprt_room\|__mprt_slow'
run ./a
validate a.memprof.json
expect_json a.memprof.json <<'END'
equal(p["run"]["mode"], "objects")
equal(p["run"]["complete"], True)
equal(p["run"]["accesses"], 0)
equal("dependences" in p, False)
rows = {(g["line"], g.get("function")): g for g in p["groups"] if g.get("file")}
equal(sorted(rows), [(6, "grow"), (14, "main"), (28, "main")])
equal((rows[14, "main"]["objects"], rows[14, "main"]["bytes"], rows[14, "main"]["span"]), (1000, 5000000, 5000))
equal((rows[6, "grow"]["objects"], rows[6, "grow"]["bytes"]), (2, 45000))
equal((rows[28, "main"]["objects"], rows[28, "main"]["bytes"]), (1, 4096))
life = {l["group"]: l for l in p["lifetimes"]}
equal(life[rows[14, "main"]["id"]]["objects"], 1000)
equal(life[rows[14, "main"]["id"]]["max"], 1)
equal(life[rows[6, "grow"]["id"]]["objects"], 2)
equal(life[rows[28, "main"]["id"]]["alive"], 1)
END
"$memprof" show --lifetimes a.memprof.json >text
expect text 'in births of objects'
# The rebuild finds its functions and has nothing to do.
compile_use -Wall -Werror -fopt-info-missed a.c -o u 2>notes
expect_not notes 'changed'
run ./u

# The size is an option; smaller objects then have their places too.
compile_gen -fprofile-mem-mode=objects -fprofile-mem-object-size=50 a.c -o b
run ./b
expect_json b.memprof.json <<'END'
lines = {g["line"]: g["objects"] for g in p["groups"] if g.get("file")}
equal(lines, {6: 3, 14: 2000, 21: 1, 28: 1})
END
# A unit that reports everything decides for all.
compile_gen -c a.c -o full.o
echo 'void *f (int n) { return __builtin_malloc (n); }' >f.c
compile_gen -fprofile-mem-mode=objects -c f.c -o f.o
compile_gen full.o f.o -o c
run ./c
expect_json c.memprof.json <<'END'
equal(p["run"]["mode"], "mixed")
equal(sum(g["objects"] for g in p["groups"] if g.get("line") == 14), 2000)
END
compile_fails -specs="$specs" -fprofile-mem-generate -fprofile-mem-object-size=4Q -c a.c
expect err 'not a size'
