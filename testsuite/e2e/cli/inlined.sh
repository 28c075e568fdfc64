# inlined.sh - a line that calls an inlined function knows what that function costs.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.cc <<'END'
#include <unordered_map>

long table[1000];
static inline long probe (long key)
{
  return table[key * 37 % 1000];
}
static inline long join (long n)
{
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += probe (i);
  return sum;
}
std::unordered_map<long, long> map;
int main (int argc, char **)
{
  map[argc] = join (1000);
  return map.find (argc + 1) != map.end ();
}
END
compile_gen -O2 -fprofile-mem-mode=full a.cc -o a
run ./a
for place in 6 12 18; do
  run "$memprof" explain a.memprof.json a.cc:$place
  cp out out.$place
done
expect out.6 '^  inlines +join at a\.cc:18$'
expect out.6 '^ +probe at a\.cc:12$'
expect out.12 '^inlined here: 1,000 accesses'
expect out.18 ' a\.cc:6  probe in main: table'
run "$memprof" annotate --json a.memprof.json probe
expect out '"line": 6, .*"loads": 1000'
run "$memprof" explain a.memprof.json a.cc:19
expect out '^  header +/.*hashtable.*:[0-9]+:[0-9]+$'
expect out '^  calls +std::unordered_map<long int, long int>::find > '
run "$memprof" annotate --system-headers a.memprof.json find
expect out 'hashtable'
run "$memprof" export --as=folded a.memprof.json
expect out ';main;join;loop a\.cc:11;probe;load table.* a\.cc:6:[0-9]+ 1000$'
run "$memprof" export --as=callgrind a.memprof.json
expect out '^cfn=probe$'
# What a header defines and GCC does not inline is found from the line that calls it.
cat >sort.cc <<'END'
#include <algorithm>
long values[1000];
__attribute__ ((noinline)) void order ()
{
  std::sort (values, values + 1000);
}
int main ()
{
  for (int i = 0; i < 1000; i++)
    values[i] = i * 7919 % 1000;
  order ();
  return values[0];
}
END
compile_gen -O2 -fprofile-mem-mode=full sort.cc -o sort
run ./sort
run "$memprof" explain sort.memprof.json sort.cc:5
expect out '^in functions of headers that are called here, for all their callers: [0-9,]+ accesses'
run "$memprof" merge a.memprof.json a.memprof.json -o sum.json
run "$memprof" explain sum.json a.cc:6
expect out '^ +probe at a\.cc:12$'
