# OpenMP: what one thread stores and another loads after libgomp has synchronised
# them is a dependence; nothing is lost or out of order.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
enum { n = 1000 };
static long a[n], b[n], sum;
int main (void)
{
#pragma omp parallel num_threads (4)
  {
#pragma omp for
    for (int i = 0; i < n; i++)
      a[i] = i;
#pragma omp for schedule (dynamic, 10)
    for (int i = 0; i < n; i++)
      b[i] = a[n - 1 - i];
#pragma omp for
    for (int i = 0; i < n; i++)
#pragma omp critical
      sum += b[i];
  }
  printf ("%ld\n", sum);
  return 0;
}
END
compile_plain -fopenmp a.c -o plain
compile_gen -fopenmp -fno-tree-vectorize a.c -o a
same_output ./plain ./a
expect_json a.memprof.json <<'END'
equal(p["run"]["complete"], True)
equal(p["run"]["events_lost"], 0)
stores = site(line=10, kind="store"), site(line=13, kind="store")
loads = site(line=13, kind="load"), [s for s in sites(line=17, kind="load") if "b" in s["expression"]][0]
for store, load in zip(stores, loads):
    equal(store["executions"], 1000)
    equal(load["executions"], 1000)
    equal({d["source"] for d in deps(sink=load)}, {store["id"]})
    equal(sum(d["count"] for d in deps(sink=load)), 1000)
END
cat >b.cc <<'END'
// A local static is made by one thread and read by the others.
#include <thread>
struct Table { long v[8]; Table () { for (int i = 0; i < 8; i++) v[i] = i; } };
__attribute__ ((noipa)) static long
look (int i)
{
  static Table table;
  return table.v[i & 7];
}
int main ()
{
  long s[4] = {};
  std::thread t[4];
  for (int i = 0; i < 4; i++)
    t[i] = std::thread ([&s, i] { for (int k = 0; k < 800; k++) s[i] += look (k); });
  for (auto &x : t)
    x.join ();
  return s[0] + s[1] + s[2] + s[3] != 4 * 2800;
}
END
compile_gen b.cc -pthread -o b
run ./b
expect_json b.memprof.json <<'END'
equal(p["run"]["complete"], True)
load = site(line=8, kind="load", width=8)
equal(load["executions"], 3200)
equal(sum(d["count"] for d in deps(sink=load)), 3200)
END
