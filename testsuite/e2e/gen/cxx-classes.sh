#!/bin/sh
# cxx-classes.sh - C++: new and delete, virtual calls, templates, exceptions.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.cc <<'END'
#include <cstdio>
#include <stdexcept>
#include <vector>
struct Shape { virtual ~Shape () {} virtual int area () const = 0; };
struct Square : Shape { int side; explicit Square (int s) : side (s) {}
  int area () const override { return side * side; } };
struct Strip : Shape { int length; explicit Strip (int l) : length (l) {}
  int area () const override { if (length > 3) throw std::runtime_error ("long"); return length; } };
int
main ()
{
  std::vector<Shape *> shapes; shapes.reserve (8);
  for (int i = 1; i <= 4; i++)
    {
      shapes.push_back (new Square (i));
      shapes.push_back (new Strip (i));
    }
  int sum = 0, thrown = 0;
  for (Shape *s : shapes)
    try { sum += s->area (); }
    catch (const std::runtime_error &) { thrown++; }
  for (Shape *s : shapes)
    delete s;
  std::printf ("%d %d\n", sum, thrown);
}
END
for level in -O0 -O2; do
  compile_plain $level a.cc -o plain
  rm -f a.memprof.json # of the build before
  compile_gen $level a.cc -o a
  same_output ./plain ./a
  rm -f a.memprof.json
  run ./a
  expect out '^36 1$'
  validate a.memprof.json
  expect_json a.memprof.json <<'END'
for line in (15, 16):
    equal(sum(g["objects"] for g in groups(line=line, kind="heap")), 4)
check(sum(s["executions"] for s in sites(line=6, kind="load")) >= 4, "side is read")
check(any("area" in f["name"] for m, f in all_functions()), "a readable name")
END
done
