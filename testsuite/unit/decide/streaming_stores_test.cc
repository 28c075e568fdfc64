// streaming_stores_test.cc - which stores bypass the caches, from invented evidence.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/streaming_stores.h"

#include <gtest/gtest.h>

#include "testsuite/unit/decide/gate_shown.h"

namespace {

using namespace memprof;
using decide::CostModel;
using decide::Decision;
using decide::Reason;
using decide::StreamingCode;
using decide::StreamingFacts;
using decide::StreamingLoop;

// 640 MB in ten entries, as lines that nothing accesses again.
StreamingFacts good_stores() { return {640e6, 1e7, 1e7, 9.9e6, 9.8e6, true}; }

// As many lines are read.
StreamingLoop good_loop() { return {10, 10, 1e7}; }

StreamingCode good_code() {
  StreamingCode code;
  code.instructions = 6;
  code.written = 16;
  return code;
}

Decision decide_it(const StreamingFacts& stores, const StreamingLoop& loop, const StreamingCode& code,
                   const CostModel& model = {}) {
  decide::Candidate candidate;
  candidate.transformation = decide::Transformation::streaming_stores;
  return gate_shown(decide::decide_streaming_stores(candidate, stores, loop, &code, model));
}

TEST(StreamingStores, TakesWhatIsNotAccessedAgain) {
  const Decision decision = decide_it(good_stores(), good_loop(), good_code());
  EXPECT_TRUE(decision.take());
  // Three lines pass memory for each line that is written, or two.
  EXPECT_DOUBLE_EQ(decision.gain, 1.5);
  EXPECT_DOUBLE_EQ(decision.number("saved_cycles"), 1e7 * 7);
  EXPECT_EQ(decision.count("at_least"), 32000000u);
  EXPECT_EQ(decision.text,
            "streaming stores where an entry writes 32.0 MB: 640.0 MB written, 64.0 MB per entry, 1.0 to 2.0 % of the "
            "lines are accessed again in the last level, at most 1.50x as fast");
}

TEST(StreamingStores, AnEntryWritesAsMuchAsTheLastLevelAtMost) {
  StreamingLoop loop = good_loop();
  loop.entries = 1;
  EXPECT_EQ(decide_it(good_stores(), loop, good_code()).count("at_least"), 32u << 20);
}

TEST(StreamingStores, RefusesWhatIsAccessedAgain) {
  StreamingFacts stores = good_stores();
  stores.leaving_least = 9.51e6;
  EXPECT_TRUE(decide_it(stores, good_loop(), good_code()).take());
  stores.leaving_least = 9.4e6;
  EXPECT_EQ(decide_it(stores, good_loop(), good_code()).reason, Reason::reused);
}

TEST(StreamingStores, RefusesLinesThatTheLoopAccessesOtherwise) {
  StreamingFacts stores = good_stores();
  stores.lines = stores.leaving = stores.leaving_least = 7e6;
  EXPECT_EQ(decide_it(stores, good_loop(), good_code()).reason, Reason::line_local);
}

TEST(StreamingStores, RefusesLinesThatAreThere) {
  StreamingFacts stores = good_stores();
  stores.fetched = 4e6;
  EXPECT_EQ(decide_it(stores, good_loop(), good_code()).reason, Reason::hits_cache);
}

TEST(StreamingStores, RefusesWhatNoWindowMet) {
  EXPECT_EQ(decide_it({640e6, 1e7, 0, 0, 0, false}, good_loop(), good_code()).reason, Reason::unknown_memory);
}

TEST(StreamingStores, RefusesShortEntriesAndFewBytes) {
  StreamingLoop loop = good_loop();
  loop.entries = 100000;
  EXPECT_EQ(decide_it(good_stores(), loop, good_code()).reason, Reason::short_loop);
  EXPECT_EQ(decide_it({1000, 15, 15, 15, 15, true}, good_loop(), good_code()).reason, Reason::few_executions);
}

TEST(StreamingStores, RefusesWhatComputes) {
  StreamingCode code = good_code();
  code.instructions = 60;
  EXPECT_EQ(decide_it(good_stores(), good_loop(), code).reason, Reason::no_gain);
}

TEST(StreamingStores, NamesObstacle) {
  StreamingCode code = good_code();
  code.obstacle = "the loop has a call";
  const Decision decision = decide_it(good_stores(), good_loop(), code);
  EXPECT_EQ(decision.reason, Reason::code_shape);
  EXPECT_EQ(decision.text, "no streaming stores: the loop has a call");
}

// 80 stores of 8 bytes are ten lines; the last level has 1024.
TEST(StoreIndex, ReadsTheCurvesAtTheLastLevel) {
  feedback::Profile profile;
  feedback::Function& function = profile.modules.emplace_back().functions.emplace_back();
  for (const auto kind : {feedback::Access::load, feedback::Access::store}) {
    feedback::Site& site = function.sites.emplace_back();
    site.id = static_cast<feedback::Id>(function.sites.size());
    site.kind = kind, site.executions = 80, site.width = 8;
  }
  profile.reuse.push_back({1, 0, {{16, 10}, {1024, 4}}, {}, {}, {}});
  profile.reuse.push_back({2, 0, {{16, 10}, {1024, 9}}, {}, {{16, 10}, {1024, 8}}, {{16, 9}, {1024, 7}}});
  CostModel model;
  model.llc_bytes = 1024 * 64;
  const decide::StoreIndex index(profile, model);
  const feedback::Id load = 1, store = 2, other = 3;
  const StreamingFacts facts = index.facts({&store, 1});
  EXPECT_TRUE(facts.known);
  EXPECT_EQ(facts.bytes, 640);
  EXPECT_EQ(facts.fetched, 9);
  EXPECT_EQ(facts.lines, 10);
  EXPECT_EQ(facts.leaving, 8);
  EXPECT_EQ(facts.leaving_least, 7);
  EXPECT_FALSE(index.facts({&load, 1}).known);
  EXPECT_FALSE(index.facts({&other, 1}).known);
  EXPECT_EQ(index.lines({&load, 1}), 4);
  EXPECT_EQ(index.lines({&store, 1}), 18);
}

}  // namespace
