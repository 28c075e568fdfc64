// header_callers_test.cc - the places in the user's code through which functions of headers are reached.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/header_callers.h"

#include <gtest/gtest.h>

namespace memprof::cli {
namespace {

using namespace feedback;

Function function(const std::string& name, std::vector<HeaderCall> calls) {
  Function f;
  f.name = f.linkage_name = name;
  f.calls = std::move(calls);
  return f;
}

// main and order call sort, sort calls loop, and loop itself.
Profile sample() {
  Profile p;
  Module& m = p.modules.emplace_back();
  m.file = "a.cc";
  m.functions = {function("main", {{"sort", "", 7}}), function("order", {{"sort", "b.h", 3}}),
                 function("sort", {{"loop", "algo.h", 90}}), function("loop", {{"loop", "algo.h", 50}})};
  return p;
}

TEST(HeaderCallers, AreFoundThroughOtherHeaders) {
  const Profile p = sample();
  const HeaderCallers callers(p);
  EXPECT_EQ(callers.of(p.modules[0].functions[3]), (std::set<CallPlace>{{"a.cc", 7}, {"b.h", 3}}));
}

TEST(HeaderCallers, TheUsersOwnFunctionsHaveNone) {
  const Profile p = sample();
  EXPECT_TRUE(HeaderCallers(p).of(p.modules[0].functions[0]).empty());
}

}  // namespace
}  // namespace memprof::cli
