# use/huge-pages-cxx.sh - operator new with an arena: exceptions, delete, a function
# with nothing but its allocation, a link without the library, -static.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
export MPRT_OPTIONS=cache=TLB=1536/12 # decisions do not depend on this machine

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
cat >a.h <<'END2'
struct node { node *next = nullptr; long value = 0, pad[10]; node (long); };
void *raw (unsigned long n);
END2
cat >a.cc <<'END2'
#include "a.h"
#include <new>
void *raw (unsigned long n) { return ::operator new (n); }
node::node (long v) : value (v) { if (v < 0) throw v; }
END2
cat >b.cc <<'END2'
#include "a.h"
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>
int main ()
{
  enum { N = 100000 };
  std::vector<std::unique_ptr<node>> all;
  std::vector<long *> raws;
  long failed = 0, sum = 0;
  unsigned x = 1;
  for (int i = 0; i < N; i++)
    {
      try
	{
	  all.push_back (std::unique_ptr<node> (new node (i % 100 ? i : -i)));
	}
      catch (long v)
	{
	  failed += v;
	}
      raws.push_back (static_cast<long *> (raw (96)));
      *raws.back () = i;
    }
  for (int i = 0; i < 5 * N; i++)
    {
      x = x * 1664525 + 1013904223;
      sum += all[(x >> 8) % all.size ()]->value + *raws[(x >> 8) % N];
    }
  for (long *p : raws)
    ::operator delete (p);
  try
    {
      raw (~0ul / 4);
    }
  catch (const std::bad_alloc &)
    {
      sum++;
    }
  std::printf ("%ld %ld\n", failed, sum);
}
END2
compile_plain a.cc b.cc -o plain
compile_gen a.cc b.cc -o a
run ./a
for level in -O1 -O2 -O3; do
  rm -f a.memprof.json
  compile_gen $level a.cc b.cc -o a
  run ./a
  for unit in a b; do
    compile_use $level -Wall -fchecking -c $unit.cc -o $unit.o -fopt-info-all=$unit.info
  done
  expect a.info 'a.cc:3:.* optimized: memprof: operator new: site arena with huge pages: 100000 objects of 96'
  expect b.info 'b.cc:18:.* optimized: memprof: operator new: site arena with huge pages: 100000 objects of 96'
  COMPILER=$CXX compile_use a.o b.o -o use
  same_output ./plain ./use
  MPRT_ARENA=report run ./use
  expect err '^memprof arena: 2 sites, '
done
# Linked without the library.
COMPILER=$CXX compile a.o b.o -o use
same_output ./plain ./use
if COMPILER=$CXX compile_use -static a.o b.o -o use 2>/dev/null; then
  same_output ./plain ./use
  MPRT_ARENA=report run ./use
  expect err '^memprof arena: 2 sites, .* advised$'
fi
