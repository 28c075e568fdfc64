#!/bin/sh
# bit-fields.sh - an access to a bit-field touches the bytes that hold it: widths, and which feeds
# whom, in plain, packed, big-endian and 128-bit structures.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#define N __attribute__ ((noipa))
struct loose { unsigned a : 3, b : 11, c : 17; signed long d : 40; unsigned char e : 1; };
struct __attribute__ ((packed)) tight { unsigned a : 3, b : 11, : 2, c : 17; signed long d : 40; };
struct __attribute__ ((packed, scalar_storage_order ("big-endian")))
big { unsigned a : 3, b : 11, c : 17, d : 9; };
struct wide { unsigned __int128 a : 3, b : 90, c : 30; };
#define FIELDS(s) \
  N void s##_a (struct s *p, int n) { for (int i = 0; i < n; i++) p[i].a = i; } \
  N long s##_b (struct s *p, int n) { long t = 0; for (int i = 0; i < n; i++) t += p[i].b; return t; } \
  N long s##_c (struct s *p, int n) { long t = 0; for (int i = 0; i < n; i++) t += p[i].c; return t; }
#define LAST(s) \
  N long s##_d (struct s *p, int n) { long t = 0; for (int i = 0; i < n; i++) t += p[i].d; return t; }
#define RUN(s) static struct s s##_all[20]; s##_a (s##_all, 20); x += s##_b (s##_all, 20) + s##_c (s##_all, 20);
FIELDS (loose) LAST (loose) FIELDS (tight) LAST (tight) FIELDS (big) LAST (big) FIELDS (wide)
int
main (void)
{
  long x = 0;
  RUN (loose) RUN (tight) RUN (big) RUN (wide)
  return x + loose_d (loose_all, 20) + tight_d (tight_all, 20) + big_d (big_all, 20) == -1;
}
END
cat >b.C <<'END'
struct base { unsigned long a : 33, b : 3; };
struct derived : base { unsigned c : 5; bool d : 1; unsigned long e : 60; };
__attribute__ ((noipa)) void derived_c (derived *p) { p->c = 3; }
__attribute__ ((noipa)) unsigned long derived_e (derived *p) { return p->e; }
__attribute__ ((noipa)) bool derived_d (derived *p) { return p->d; }
int main () { static derived x; derived_c (&x); return derived_e (&x) + derived_d (&x); }
END
cat >checks <<'END'
def check_field (name, width, feeds=False, **where):
    rows = [s for _, f in all_functions() if f["name"].split("(")[0] == name for s in f["sites"]]
    loads = [s for s in rows if s["kind"] == "load"] or rows
    equal({s["width"] for s in loads}, {width}, name)
    fed = [d for d in p["dependences"] if d["sink"] in {s["id"] for s in loads}]
    equal(bool(fed), feeds, name + " is fed")
END
compile_gen -fchecking a.c -o a
run ./a
validate a.memprof.json
{ cat checks; cat <<'END'
for name in "loose", "tight", "big":
    check_field(name + "_a", 1)
    check_field(name + "_b", 2, True)
check_field("loose_c", 3)
check_field("loose_d", 5)
check_field("tight_c", 3)
check_field("tight_d", 6)
check_field("big_c", 3)
check_field("big_d", 2)
check_field("wide_a", 1)
check_field("wide_b", 12, True)
check_field("wide_c", 5)
END
} >snippet
expect_json a.memprof.json <snippet
compile_gen -fchecking b.C -o b
run ./b
{ cat checks; cat <<'END'
check_field("derived_c", 1)
check_field("derived_d", 1, True)
check_field("derived_e", 8)
END
} >snippet
expect_json b.memprof.json <snippet
