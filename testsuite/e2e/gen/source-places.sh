#!/bin/sh
# source-places.sh - what GCC has made of several statements has a place in the source: sites,
# loops, functions, allocation sites; at each level, with and without -g.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.C <<'END'
#include <stdint.h>
#include <stdlib.h>
#include <string>
#include <vector>
static inline uint32_t
big (const unsigned char *p)
{ return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3]; }
static inline uint32_t
little (const unsigned char *p)
{ return p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24; }
struct pair { std::string name; std::vector<int> list; virtual ~pair () {} };
static std::string names[3] = { "a", "b", "c" };
struct flags { unsigned a : 3, b : 5; };
int
main (int argc, char **)
{
  unsigned char *raw = (unsigned char *) malloc (400);
  uint32_t s = 0;
  for (int i = 0; i < 400; i++)
    raw[i] = i;
  for (int i = 0; i < 100; i++)
    s += big (raw + 4 * i) ^ little (raw + 4 * i);
  std::vector<pair> all (argc + 3);
  for (auto &p : all)
    p.name = names[argc % 3], p.list.push_back (s);
  std::vector<pair> copy = all;
  flags f[2] = {};
  f[argc & 1].a = argc;
  return f[1].a == 7 && f[1].b == 1 && copy.size () == s;
}
END
for flags in -O0 -O1 -O2 '-O2 -g0' -O3; do
  rm -f a.memprof.json
  # shellcheck disable=SC2086
  compile_gen $flags a.C -o a
  run ./a
  expect_json a.memprof.json <<'END'
for _, f in all_functions():
    check(f["line"] > 0, f"{f['name']} has a line")
    for s in f["sites"]:
        check(s["line"] > 0, f"site {s['ordinal']} of {f['name']} has a line")
    for l in f["loops"]:
        check(l["line"] > 0, f"a loop of {f['name']} has a line")
for g in p["groups"]:
    check(g["kind"] not in ("heap", "global") or ".so" in g["function"] or g["line"] > 0,
          f"{g['kind']} {g['function']} has a line")
END
done
cat >b.c <<'END'
__attribute__ ((noipa)) unsigned
big (const unsigned char *p)
{
  return (unsigned) p[0] << 24 | (unsigned) p[1] << 16
    | (unsigned) p[2] << 8 | p[3];
}
int main (void) { unsigned char x[4] = { 1, 2, 3, 4 }; return big (x) != 0x1020304; }
END
compile_gen b.c -o b
run ./b
"$memprof" explain b.memprof.json b.c:5 >found
expect found 'load of 4 bytes'
