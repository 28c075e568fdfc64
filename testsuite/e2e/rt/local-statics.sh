#!/bin/sh
# rt/local-statics.sh - a local static is made by one thread and read by another,
# which finds it made: its loads come after the maker's stores.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.cc <<'END'
#include <atomic>
#include <thread>
#include <unistd.h>
static long big[1 << 16];
static std::atomic<bool> made;
struct Table { long v[8]; Table () { for (int i = 0; i < 8; i++) v[i] = i; } };
__attribute__ ((noipa)) static long
look (int i)
{
  static Table table;
  return table.v[i & 7];
}
__attribute__ ((noipa)) static void
maker ()
{
  // What the backend has not read yet when the table is made.
  for (int i = 0; i < 60000; i++)
    big[i * 40503l & 0xffff]++;
  look (0);
  made.store (true, std::memory_order_relaxed);
}
int main ()
{
  long sum = 0;
  std::thread t (maker);
  while (!made.load (std::memory_order_relaxed))
    usleep (1000);
  for (int k = 0; k < 800; k++)
    sum += look (k);
  t.join ();
  return sum != 2800;
}
END
compile_gen a.cc -pthread -o a
for round in 1 2; do
  rm -f a.memprof.json
  run ./a
  expect_json a.memprof.json <<'END'
equal(p["run"]["complete"], True)
load = site(line=11, kind="load", width=8)
equal(load["executions"], 801)
equal(sum(d["count"] for d in deps(sink=load)), 801)
END
done
# A second look of the same call needs nothing, unless the constructor can fail.
cat >b.cc <<'CC'
struct Table { long v[8]; Table () MAY_THROW; };
static inline Table &table () { static Table t; return t; }
long look (int i, int j)
{
  long a = 0;
  try { a = table ().v[i]; } catch (...) {}
  return a + table ().v[j];
}
CC
for throws in 'noexcept(true) 1' 'noexcept(false) 2'; do
  compile_gen "-DMAY_THROW=${throws% *}" -S b.cc -o b.s
  looks=$(calls __mprt_order b.s)
  [ "$looks" = "${throws#* }" ] || fail "${throws% *}: $looks looks"
done
