// source_advice_test.cc - what is advised to write in the source.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/source_advice.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;

TEST(SourceAdvice, NamesPointersAndMembers) {
  const decide::SourceAdvice advice = decide::advise_source(
      {{"this->to[i]", "this->n"}, {"this->to[i]", "this->to"}, {"this->to[i]", "from[i]"},
       {"this->to[i]", "...[i]"}, {"this->to[i]", "this->to[i]"}},
      false);
  EXPECT_EQ(advice.locals, (std::vector<std::string>{"this->n", "this->to"}));
  EXPECT_EQ(advice.restricted, (std::vector<std::string>{"this->to", "from"}));
  EXPECT_FALSE(advice.ivdep);
  EXPECT_EQ(advice.text(),
            "load `this->n', `this->to' into locals in front of the loop; declare "
            "`this->to', `from' restrict");
}

TEST(SourceAdvice, PromisesNoDependencesOnlyIfThereAreNone) {
  EXPECT_EQ(decide::advise_source({{"a[i]", "b[i]"}}, false).text(),
            "declare `a', `b' restrict; or write #pragma GCC ivdep in front of the loop");
  EXPECT_EQ(decide::advise_source({{"a[i]", "b[i]"}}, true).text(), "declare `a', `b' restrict");
  EXPECT_EQ(decide::advise_source({}, false).text(), "");
}

TEST(SourceAdvice, KnowsOneVariable) {
  EXPECT_TRUE(decide::same_variable("a[i]", "a[i-1]"));
  EXPECT_TRUE(decide::same_variable("r->sum", "r->sum"));
  EXPECT_FALSE(decide::same_variable("to[i]", "from[i]"));
  EXPECT_FALSE(decide::same_variable("*p", "*q"));
}

}  // namespace
