#!/bin/sh
# aligned-objects.sh - posix_memalign, aligned_alloc and aligned new make objects.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.cc <<'END'
#include <cstdlib>
#include <new>
struct alignas(128) Wide { volatile int v[32]; };
int
main ()
{
  void *p = nullptr;
  if (posix_memalign (&p, 256, 1000))
    return 1;
  volatile char *c = static_cast<volatile char *> (p);
  c[999] = 1;
  volatile char *d = static_cast<volatile char *> (std::aligned_alloc (64, 640));
  d[639] = 2;
  Wide *w = new Wide;
  w->v[31] = 3;
  Wide *many = new Wide[10];
  many[9].v[31] = 4;
  int sum = c[999] + d[639] + w->v[31] + many[9].v[31];
  std::free (p);
  std::free (const_cast<char *> (d));
  delete w;
  delete[] many;
  return sum == 10 ? 0 : 1;
}
END
compile_gen -O1 -std=c++17 a.cc -o a
run ./a
expect_json a.memprof.json <<'END'
for line, size in ((8, 1000), (12, 640), (14, 128), (16, 1280)):
    g = group(line=line, kind="heap")
    equal((g["objects"], g["bytes"], g["accesses"]), (1, size, 2))
for line in (11, 13, 15, 17):
    equal(len(deps(site(line=line))), 1)
END
