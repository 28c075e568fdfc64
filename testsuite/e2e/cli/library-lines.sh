# library-lines.sh - what inlined code of a library's headers costs stands at the line that calls it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.cc <<'END'
#include <cstdio>
#include <unordered_map>
int main ()
{
  std::unordered_map<long, long> map;
  unsigned s = 1;
  long sum = 0;
  for (int i = 0; i < 3000; i++)
    map[(s = s * 1103515245 + 12345) >> 4] = i;
  s = 1;
  for (int i = 0; i < 3000; i++)
    {
      auto it = map.find ((s = s * 1103515245 + 12345) >> 4);
      if (it != map.end ())
        sum += it->second;
    }
  std::printf ("%ld\n", sum);
}
END
compile_gen a.cc -o a
run ./a
expect_json a.memprof.json <<'END'
lines = {}
for s in (s for m in p["modules"] for f in m["functions"] for s in f["sites"]):
    if s.get("executions") and s.get("file", "a.cc").endswith("a.cc"):
        lines[s["line"]] = lines.get(s["line"], 0) + s["executions"]
check(lines.get(9, 0) > 20000 and lines.get(13, 0) > 10000, lines)
check(any(g.get("allocator") == "operator new" and g.get("line") == 9 for g in p["groups"]), p["groups"])
END
run "$memprof" explain a.memprof.json a.cc:13
expect out 'a.cc:13:.*load'
run "$memprof" annotate a.memprof.json main
expect out '[0-9],[0-9]* .* 13  *auto it'
compile_use a.cc -o a 2>err
expect_not err "have changed"
