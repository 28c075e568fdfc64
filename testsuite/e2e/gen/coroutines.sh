#!/bin/sh
# gen/coroutines.sh - coroutines: the parts into which GCC cuts them have identities of their own,
# and frames on the heap; two variables of one name on one line are two groups.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.cc <<'END'
#include <coroutine>
#include <cstdio>
#include <utility>
struct Generator {
  struct promise_type {
    long value = 0;
    Generator get_return_object () { return Generator (std::coroutine_handle<promise_type>::from_promise (*this)); }
    std::suspend_always initial_suspend () noexcept { return {}; }
    std::suspend_always final_suspend () noexcept { return {}; }
    std::suspend_always yield_value (long v) { value = v; return {}; }
    void return_void () {}
    void unhandled_exception () {}
  };
  std::coroutine_handle<promise_type> handle;
  explicit Generator (std::coroutine_handle<promise_type> h) : handle (h) {}
  Generator (Generator &&other) : handle (std::exchange (other.handle, {})) {}
  ~Generator () { if (handle) handle.destroy (); }
  bool next () { handle.resume (); return !handle.done (); }
};
static long table[64];
static Generator count (long n) { for (long i = 0; i < n; i++) { table[i % 64] += i; co_yield table[i % 64]; } }
static Generator squares (long n) { for (long i = 0; i < n; i++) { table[i % 64] += i; co_yield i * i; } }
#define COUNTER() do { static int calls; std::printf ("%d\n", ++calls); } while (0)
int
main ()
{
  long sum = 0;
  for (int k = 0; k < 3; k++)
    {
      for (Generator g = count (100); g.next ();) sum += g.handle.promise ().value;
      for (Generator g = squares (100); g.next ();) sum += g.handle.promise ().value;
      COUNTER (); COUNTER ();
    }
  std::printf ("%ld\n", sum);
}
END
compile_plain -std=c++20 a.cc -o plain
run ./plain
cp out wanted
for mode in full sample; do
  rm -f a.memprof.json
  compile_gen -std=c++20 -fprofile-mem-mode=$mode a.cc -o a
  for turn in 1 2; do
    run ./a
    cmp -s out wanted || fail "$mode: another output"
    "$memprof" validate a.memprof.json
  done
  [ $mode = sample ] || expect_json a.memprof.json '
equal(p["run"]["runs"], 2)
names = [f.get("linkage_name", f["name"]) for m in p["modules"] for f in m["functions"]]
equal(len(names), len(set(names)))
resumed = [f for m in p["modules"] for f in m["functions"]
           if any(l.get("iterations") for l in f.get("loops", []))]
check(resumed, "a loop in the resumed part")
calls = sorted(g["function"] for g in p["groups"] if g["kind"] == "global" and "calls" in g["function"])
equal(len(calls), 2)
equal(len(set(calls)), 2)'
  compile_use -std=c++20 -fprofile-mem-use=a.memprof.json a.cc -o use
  run ./use
  cmp -s out wanted || fail "$mode: the rebuilt program has another output"
done
