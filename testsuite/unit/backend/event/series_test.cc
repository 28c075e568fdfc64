// series_test.cc - modules that take a run access by access have what its blocks say.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <random>

#include "runtime/backend/event/module.h"
#include "testsuite/unit/backend/decoded_stream.h"
#include "testsuite/unit/backend/dependence_oracle.h"

namespace memprof::backend::testing {
namespace {

// A word of an execution: it moves by a constant, or goes anywhere.
struct Word {
  bool common;
  std::int64_t step;
};

// What a loop does in each iteration.
struct Body {
  std::vector<Word> words;  // common ones first
  std::vector<BlockAccess> accesses;
  std::uint64_t descriptor = 0;
};

// A random program of such loops, as a stream with a run for each, or blocks.
class Loops {
 public:
  static constexpr std::uint64_t k_area = 0x10000f80, k_bytes = 600, k_small = 0x20000000;

  Loops(std::uint64_t seed, bool runs) : random_(seed), runs_(runs) {
    m_.function("f");
    outer_ = m_.loop();
    inner_ = m_.loop(outer_);
    body({{true, 8}, {false, 0}}, {{8, 1, 0, false}, {8, 2, 0, false}});
    body({{true, 4}, {true, 8}}, {{4, 1, 0, false}, {8, 2, 0, true}});
    body({{false, 0}, {false, 0}}, {{1, 1, 0, false}, {4, 2, 0, true}});
    body({{true, -8}, {false, 0}}, {{8, MPRT_BASE_ABSOLUTE, k_area + 64, false}, {8, 1, 0, false},
                                    {2, 2, 0, false}});
    body({{true, 16}, {false, 0}}, {{8, 1, 0, false}, {8, 1, 8, false}, {8, 2, 0, true}});
    body({{true, 1}, {true, 1}, {false, 0}}, {{1, 1, 0, false}, {1, 3, 0, false}, {1, 2, 0, true}});
    m_.site(MPRT_OP_STORE, 8, inner_);
    fill_ = m_.range(3, inner_, {{site(), 2, 0, 8}});
    m_.site(MPRT_OP_STORE, 8);
    single_ = m_.block(2, {{site(), 1, 0}});
    alloc_ = m_.alloc(1);
    enter_outer_ = m_.enter(outer_), exit_outer_ = m_.exit(outer_);
    enter_ = m_.enter(inner_), exit_ = m_.exit(inner_);
    next_ = m_.block(1, {}, outer_, true);
    words_ = m_.load();
    words_.birth(k_area, k_bytes, alloc_).birth(k_small, 64, alloc_);
    for (int i = 0; i < 3; i++) outer();
  }
  const Words& words() const { return words_; }

 private:
  struct Entry {
    std::uint32_t width;
    unsigned base;
    std::uint64_t offset;
    bool store;
  };
  std::uint32_t site() const { return static_cast<std::uint32_t>(m_.sites.size() - 1); }
  std::uint64_t upto(std::uint64_t n) { return random_() % n; }

  void body(std::vector<Word> words, const std::vector<Entry>& entries) {
    Body b{std::move(words), {}};
    std::vector<std::int64_t> steps;
    for (const Word& w : b.words)
      if (w.common) steps.push_back(w.step);
    for (const Entry& e : entries) {
      m_.site(e.store ? MPRT_OP_STORE : MPRT_OP_LOAD, e.width, inner_);
      b.accesses.push_back({site(), e.base, e.offset});
    }
    const auto n = static_cast<unsigned>(b.words.size()) + 1;
    // Runs have words of their own.
    const bool run = runs_ && steps.size() < b.words.size();
    b.descriptor = run ? m_.run(n, steps, b.accesses, inner_) : m_.block(n, b.accesses, inner_, true);
    bodies_.push_back(b);
  }

  void outer() {
    words_.record(enter_outer_);
    for (std::uint64_t i = 0, n = 1 + upto(4); i < n; i++) {
      words_.record(next_);
      words_.record(single_, place(8));
      if (upto(3) == 0) words_.record(fill_, 8 + upto(40), k_area + 8 * upto(30));
      for (std::uint64_t k = 0, loops = 1 + upto(3); k < loops; k++) loop();
      if (upto(5) == 0) words_.death(k_area).birth(k_area, k_bytes, alloc_);
    }
    words_.record(exit_outer_);
  }
  void loop() {
    words_.record(enter_);
    for (std::uint64_t i = 0, n = 1 + upto(3); i < n; i++) executions(bodies_[upto(bodies_.size())]);
    words_.record(exit_);
  }
  // Near the object's start, at its end, or beyond it.
  std::uint64_t place(std::uint64_t align) {
    const std::uint64_t from = upto(8) == 0 ? k_small : k_area;
    const std::uint64_t bytes = upto(10) == 0 ? k_bytes + 40 : k_bytes >> upto(4);
    return from + upto(from == k_small ? 64 : bytes) / align * align;
  }
  void executions(const Body& b) {
    const std::uint64_t align = std::uint64_t{1} << upto(4);
    std::vector<std::vector<std::uint64_t>> all;  // words of each
    const std::uint64_t n = 1 + upto(20);
    for (std::uint64_t i = 0; i < n; i++) {
      std::vector<std::uint64_t> w;
      for (const Word& word : b.words)
        w.push_back(word.common && i != 0
                        ? all.back()[w.size()] + static_cast<std::uint64_t>(word.step)
                        : place(align));
      all.push_back(w);
    }
    std::size_t common = 0;
    for (const Word& word : b.words) common += word.common;
    if (!runs_ || common == b.words.size()) {
      for (const auto& w : all) put(b.descriptor, w);
      return;
    }
    std::vector<std::uint64_t> run = all[0];
    for (std::size_t i = 1; i < all.size(); i++)
      run.insert(run.end(), all[i].begin() + static_cast<std::ptrdiff_t>(common), all[i].end());
    put(b.descriptor, run);
  }
  void put(std::uint64_t descriptor, const std::vector<std::uint64_t>& w) {
    words_.words.push_back(descriptor | (w.size() + 1));
    words_.words.insert(words_.words.end(), w.begin(), w.end());
  }

  std::mt19937_64 random_;
  const bool runs_;
  TestModule m_;
  std::vector<Body> bodies_;
  std::uint32_t outer_ = 0, inner_ = 0;
  std::uint64_t fill_ = 0, single_ = 0, alloc_ = 0, enter_ = 0, exit_ = 0, enter_outer_ = 0,
                exit_outer_ = 0, next_ = 0;
  Words words_;
};

TEST(Series, RunsSayWhatTheirBlocksSay) {
  std::size_t parts = 0;
  for (std::uint64_t seed = 1; seed <= 300; seed++) {
    const DecodedStream runs({Loops(seed, true).words()}), blocks({Loops(seed, false).words()});
    ASSERT_EQ(runs.batches.size(), 1u);
    ASSERT_EQ(blocks.batches.size(), 1u);
    const Batch& batch = *runs.batches[0];
    for (const Range& r : batch.ranges) parts += r.per_iteration != 0;
    for (const Make make : {make_dependence, make_dependence_all, make_stride, make_points_to,
                            make_object_relative, make_cache, make_privatisation})
      ASSERT_EQ(difference(runs.profile(make), blocks.profile(make)), "") << "seed " << seed;
    DependenceOracle oracle(DependenceOracle::Kinds::raw);
    ASSERT_EQ(difference(runs.profile(make_dependence),
                         text(oracle.run(runs.program, trace_of(batch)))), "")
        << "seed " << seed;
  }
  EXPECT_GT(parts, 300u);
}

}  // namespace
}  // namespace memprof::backend::testing
