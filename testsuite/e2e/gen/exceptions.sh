# gen/exceptions.sh - loops left by exceptions, throwing stores, allocations that fail.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.cc <<'END'
#include <new>
struct Big { long a[10]; };
static long cells[10];
__attribute__ ((noinline)) Big make (int i) { if (i == 7) throw i; Big b {}; b.a[i] = i; return b; }
__attribute__ ((noinline)) int fill (int n)
{
  int caught = 0;
  for (int k = 0; k < 2; k++)
    try {
      for (int i = 0; i < n; i++) {
        Big b = make (i);
        cells[i] += b.a[i];
      }
    } catch (int) {
      caught++;
    }
  return caught;
}
int main ()
{
  int *volatile first = nullptr;
  volatile std::size_t huge = ~std::size_t (0) >> 2;
  try { first = new int[huge]; } catch (std::bad_alloc &) { }
  first = new int[3];
  first[1] = fill (10);
  int result = first[1] == 2 && cells[3] == 6 ? 0 : 1;
  delete[] first;
  return result;
}
END
for o in -O0 -O2; do
  rm -f a.memprof.json
  compile_gen $o -fchecking a.cc -o a
  run ./a
  expect_json a.memprof.json <<'END'
outer, inner = loop(line=8), loop(line=10)
# At -O0 the header tests the condition, once more than the body runs.
check((outer["invocations"], outer["iterations"]) in ((1, 2), (1, 3)), outer)
equal((inner["invocations"], inner["iterations"]), (2, 16))
equal(sum(s["executions"] for s in sites(line=12, kind="store")), 14)
# The failed allocation must not lend its name to the next.
equal([(g["line"], g["allocator"]) for g in p["groups"] if g["kind"] == "heap"
       and g.get("function") == "main"], [(24, "operator new[]")])
END
done
