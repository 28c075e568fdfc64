#!/bin/sh
# inline-chains.sh - the inlined calls of 1,000 sites of a program of C++, beside those of addr2line.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"
fail () { echo "inline-chains: FAILED: $*" >&2; exit 1; }

cat >chains.cc <<'END'
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <unordered_map>
int main ()
{
  nlohmann::json document;
  std::map<std::string, std::vector<int>> lists;
  std::unordered_map<int, std::set<std::string>> names;
  for (int i = 0; i < 300; i++)
    {
      const std::string key = "key" + std::to_string (i * 7919 % 97);
      document["rows"].push_back ({{"name", key}, {"value", i * 0.5}, {"flags", {true, nullptr, i}}});
      lists[key].push_back (i ^ 5);
      names[i % 31].insert (key);
    }
  std::ostringstream text;
  text << document.dump (2);
  nlohmann::json again = nlohmann::json::parse (text.str ());
  long sum = 0;
  for (auto &[key, list] : lists)
    {
      std::sort (list.begin (), list.end (), std::greater<int> ());
      sum += list.front () + names[list.back () % 31].size ();
    }
  for (const auto &row : again["rows"])
    sum += row["flags"].size () + row.value ("value", 0.0);
  std::printf ("%ld %d\n", sum, again == document);
}
END
"${CXX:-g++}" -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full chains.cc -o chains
./chains >/dev/null
objdump -d chains | sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' >addresses
addr2line -a -i -e chains <addresses >lines
"${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/long/inline_chains.py" chains.memprof.json lines 1000 \
  || fail "see above"
