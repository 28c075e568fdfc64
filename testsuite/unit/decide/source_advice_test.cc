// source_advice_test.cc - what is advised to write in the source.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/source_advice.h"

#include <gtest/gtest.h>

namespace {

using namespace memprof;

decide::NamedPair pair(const char* store, const char* load, bool invariant = true) {
  return {{store, false, false}, {load, false, invariant}, false};
}

TEST(SourceAdvice, NamesPointersAndMembers) {
  const decide::SourceAdvice advice = decide::advise_source(
      {pair("this->to[i]", "this->n"), pair("this->to[i]", "this->to"),
       pair("this->to[i]", "from[i]"), pair("this->to[i]", "...[i]"),
       pair("this->to[i]", "this->to[i]")},
      false);
  EXPECT_EQ(advice.locals, (std::vector<std::string>{"this->n", "this->to"}));
  EXPECT_EQ(advice.restricted, (std::vector<std::string>{"this->to", "from"}));
  EXPECT_FALSE(advice.ivdep);
  EXPECT_EQ(advice.text(),
            "do `this->n', `this->to' stay the same in the loop? Each was loaded from one "
            "address, and no store of the loop met it in this run; then load them into locals "
            "before the loop; do `this->to', `from' never overlap? No store through one met a load "
            "through another in this run; then declare them restrict");
}

// p->score with another p in each iteration: a local would hold the score of the first p.
TEST(SourceAdvice, MakesNoLocalOfWhatMoves) {
  const decide::SourceAdvice advice =
      decide::advise_source({pair("out[i]", "p->score", false)}, false);
  EXPECT_TRUE(advice.locals.empty());
  EXPECT_TRUE(advice.restricted.empty());
  EXPECT_FALSE(advice.ivdep);
  EXPECT_EQ(advice.text(), "");
}

TEST(SourceAdvice, NamesNothingThatTheSourceDoesNotHave) {
  for (const char* name : {"operator new [i]", "*operator new ", "access[i]", "calloc()[i]",
                           "p->...[i]", "(a+1)[i]", "x<<2[i]", "__closure->a[i]", "__for_begin[i]"}) {
    EXPECT_EQ(decide::advise_source({pair("a[i]", name)}, true).text(), "") << name;
    EXPECT_EQ(decide::advise_source({pair(name, "b[i]")}, true).text(), "") << name;
  }
  EXPECT_TRUE(decide::plain_name("this->a.b1->_c"));
  for (const char* name : {"", "a->", "->b", "1a", "a b", "a[i]", "operator new", "a..b"})
    EXPECT_FALSE(decide::plain_name(name)) << name;
  // Variables of other functions.
  decide::NamedPair inlined = pair("a[i]", "it[i]");
  inlined.load.inlined = true;
  EXPECT_EQ(decide::advise_source({inlined}, true).text(), "");
  inlined.load.expression = "n";
  EXPECT_EQ(decide::advise_source({inlined}, true).text(), "");
}

// What met once is no question any more, whichever pair it was.
TEST(SourceAdvice, LeavesOutWhatMet) {
  decide::NamedPair met = pair("b[i]", "n");
  met.met = true;
  EXPECT_EQ(decide::advise_source({pair("a[i]", "n"), met}, true).text(), "");
  met = pair("b[i]", "c[i]");
  met.met = true;
  EXPECT_EQ(decide::advise_source({pair("a[i]", "c[i]"), met, pair("d[i]", "e[i]")}, true)
                .restricted,
            (std::vector<std::string>{"d", "e"}));
  // Of one array, which the compiler knows.
  met = pair("a[i]", "a[i-1]");
  met.met = true;
  EXPECT_EQ(decide::advise_source({pair("a[i]", "b[i]"), met}, true).restricted,
            (std::vector<std::string>{"a", "b"}));
}

TEST(SourceAdvice, AsksAboutDependencesOnlyIfThereWereNone) {
  const auto text = [](bool carried) {
    return decide::advise_source({pair("a[i]", "b[i]")}, carried).text();
  };
  EXPECT_NE(text(false).find("#pragma GCC ivdep"), std::string::npos);
  EXPECT_EQ(text(true).find("#pragma GCC ivdep"), std::string::npos);
  EXPECT_NE(text(true).find("`a', `b' never overlap?"), std::string::npos);
  EXPECT_EQ(decide::advise_source({}, false).text(), "");
}

TEST(SourceAdvice, KnowsOneVariable) {
  EXPECT_TRUE(decide::same_variable("a[i]", "a[i-1]"));
  EXPECT_TRUE(decide::same_variable("r->sum", "r->sum"));
  EXPECT_FALSE(decide::same_variable("to[i]", "from[i]"));
  EXPECT_FALSE(decide::same_variable("*p", "*q"));
}

}  // namespace
