// rows_test.cc - ranges that follow each other are one of several rows, of which modules have
// what they have of each.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "runtime/backend/event/module.h"
#include "runtime/backend/event/range_rows.h"
#include "testsuite/unit/backend/decoded_stream.h"

namespace memprof::backend::testing {
namespace {

// Byte by byte.
Meeting meeting_by_definition(const RangeAccess& a, const RangeAccess& b) {
  std::map<std::uint64_t, std::set<std::pair<std::uint64_t, std::uint64_t>>> bytes;
  const auto for_each_byte = [](const RangeAccess& x, auto&& fn) {
    for (std::uint64_t i = 0; i < x.rows; i++)
      for (std::uint64_t k = 0; k < x.count; k++)
        for (std::uint64_t n = 0; n < x.width; n++)
          fn(x.row(i).address + k * static_cast<std::uint64_t>(x.step) + n, std::pair(i, k));
  };
  for_each_byte(a, [&](std::uint64_t at, auto iteration) { bytes[at].insert(iteration); });
  Meeting result = Meeting::none;
  for_each_byte(b, [&](std::uint64_t at, auto iteration) {
    for (const auto& other : bytes[at])
      if (other != iteration)
        result = Meeting::elsewhere;
      else if (result == Meeting::none)
        result = Meeting::iteration;
  });
  return result;
}

TEST(RangeRows, AccessesMeetWhereTheirBytesDo) {
  std::mt19937_64 random(3);
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  int found[3] = {}, hard = 0;
  for (int round = 0; round < 20000; round++) {
    const auto step = [&] { return static_cast<std::int64_t>(4 * below(12)) * (below(4) ? 1 : -1); };
    RangeAccess a{};
    a.address = 0x100000;
    a.step = step(), a.row_step = step() * static_cast<std::int64_t>(1 + below(9));
    a.count = 1 + below(6), a.rows = 1 + below(6);
    a.width = 1 + below(8);
    RangeAccess b = a;
    b.address += static_cast<std::uint64_t>(step() * static_cast<std::int64_t>(below(6))) + below(2);
    b.width = 1 + below(8);
    const Meeting expected = meeting_by_definition(a, b), m = meeting(a, b);
    found[static_cast<int>(expected)]++;
    if (m == expected) continue;
    ASSERT_EQ(m, Meeting::elsewhere) << "round " << round;
    hard++;
  }
  for (const int n : found) EXPECT_GT(n, 200);
  EXPECT_LT(hard, 3000);
}

RangeAccess rows_of(bool store, std::uint64_t address, std::uint64_t width) {
  RangeAccess a{};
  a.address = address, a.width = width, a.store = store;
  a.step = 8, a.count = 4, a.row_step = 100, a.rows = 50;
  return a;
}

TEST(RangeRows, ApartIsWhoReadsWhatWasThereBefore) {
  const RangeAccess store = rows_of(true, 0x1000, 8), load = rows_of(false, 0x1000, 8);
  const auto apart = [](std::vector<RangeAccess> accesses) { return iterations_apart(accesses); };
  EXPECT_TRUE(apart({load, store}));
  EXPECT_FALSE(apart({store, load}));
  EXPECT_FALSE(apart({store, store}));
  EXPECT_TRUE(apart({store, rows_of(false, 0x1000 + 68, 8), rows_of(true, 0x1000 + 40, 4)}));
  EXPECT_FALSE(apart({rows_of(false, 0x1000 - 8, 8), store}));
  EXPECT_FALSE(apart({rows_of(false, 0x1000 + 100, 8), store}));
  EXPECT_FALSE(apart({rows_of(false, 0x1000 + 4, 8), store}));
  RangeAccess other = load;
  other.step = 16;
  EXPECT_FALSE(apart({other, store}));
  other.address += 0x10000;
  EXPECT_TRUE(apart({other, store}));
}

// A random program: sweeps of short rows over two arrays, in place, from one to the other, or
// such that rows read what earlier ones have stored.
class Sweeps {
 public:
  static constexpr std::uint64_t k_array = 0x10000f80, k_bytes = 32768, k_index = 40000;

  explicit Sweeps(std::uint64_t seed) : random_(seed) {
    m_.function("f");
    outer_ = m_.loop();
    middle_ = m_.loop(outer_);
    inner_ = m_.loop(middle_);
    // Words: count, two places, a step, an index.
    const std::int64_t step = upto(2) ? 8 : 16;
    bodies_[0] = body({{false, 1, 0, step}, {true, 1, 0, step}});
    bodies_[1] = body({{false, 1, 0, step}, {false, 2, 0, step}, {true, 2, 0, step}, {true, 1, 0, step}});
    bodies_[2] = body({{false, 1, 0, -8}, {false, 1, 4, -8}, {true, 2, 0, -8}});
    bodies_[3] = body({{false, 1, -16, step}, {true, 1, 0, step}});
    bodies_[4] = body({{false, 2, 0, 0}, {false, 1, 0, k_word_step}, {true, 1, 0, k_word_step}});
    bodies_[5] = body({{false, k_wraps, 0, 8}, {true, 2, 4, 8}});
    m_.site(MPRT_OP_STORE, 8, middle_);
    single_ = m_.block(2, {{site(), 1, 0}});
    alloc_ = m_.alloc(1);
    enter_outer_ = m_.enter(outer_), exit_outer_ = m_.exit(outer_), next_outer_ = next(outer_);
    enter_ = m_.enter(middle_), exit_ = m_.exit(middle_), next_ = next(middle_);
    put(m_.load());
    put(Words().birth(k_array, k_bytes, alloc_));
    record(enter_outer_);
    for (int i = 0; i < 4; i++) {
      record(next_outer_);
      sweeps();
    }
    record(exit_outer_);
  }
  // In none but the whole do ranges follow each other.
  const std::vector<Words>& pieces() const { return pieces_; }
  Words whole() const {
    Words all;
    for (const Words& w : pieces_) all.append(w);
    return all;
  }

 private:
  static constexpr std::int64_t k_word_step = 1 << 20;
  static constexpr unsigned k_wraps = 9;
  struct Entry {
    bool store;
    unsigned word;  // 1 or 2: of the places
    std::int64_t offset, step;
  };
  std::uint32_t site() const { return static_cast<std::uint32_t>(m_.sites.size() - 1); }
  std::uint64_t upto(std::uint64_t n) { return random_() % n; }
  std::uint64_t next(std::uint32_t loop) { return m_.block(1, {}, loop, true); }
  void put(const Words& words) { pieces_.push_back(words); }
  template <typename... Args>
  void record(Args... args) {
    put(Words().record(args...));
  }

  std::uint64_t body(const std::vector<Entry>& entries) {
    std::vector<RangeStep> steps;
    for (const Entry& e : entries) {
      const std::uint32_t width = upto(4) ? 8 : 4;
      m_.site(e.store ? MPRT_OP_STORE : MPRT_OP_LOAD, width, inner_);
      RangeStep s{site(), 1 + e.word, static_cast<std::uint64_t>(e.offset), e.step};
      s.width = width;
      if (e.step == k_word_step) s.step = 0, s.step_word = 4;
      if (e.word == k_wraps) s.base = 2, s.index_word = 5, s.modulus = k_index;
      steps.push_back(s);
    }
    return m_.range(6, inner_, steps);
  }
  // Rows of a shape, which may be broken off.
  void sweeps() {
    record(enter_);
    for (std::uint64_t n = 1 + upto(3); n != 0; n--) {
      const std::uint64_t body = bodies_[upto(std::size(bodies_))], count = 1 + upto(20);
      const std::uint64_t rows = 3 + upto(90), move = 8 * upto(24), second = upto(3) ? move : 0;
      std::uint64_t a = k_array + 8 * upto(600), b = a + 8 * upto(3) * upto(800) + 16;
      const bool iterates = upto(6) != 0;
      for (std::uint64_t i = 0; i < rows; i++, a += move, b += second) {
        if (iterates) record(next_);
        const std::uint64_t index = (k_index - 2000 + i * move) % k_index;
        put(Words().record(body, count, a, b, std::uint64_t{8 + 8 * (move / 8 % 2)}, index));
        if (upto(60) == 0) put(Words().record(single_, k_array + 8 * upto(1000)));
      }
    }
    record(exit_);
  }

  std::mt19937_64 random_;
  TestModule m_;
  std::uint32_t outer_ = 0, middle_ = 0, inner_ = 0;
  std::uint64_t bodies_[6] = {};
  std::uint64_t single_ = 0, alloc_ = 0, enter_ = 0, exit_ = 0, next_ = 0, enter_outer_ = 0,
                exit_outer_ = 0, next_outer_ = 0;
  std::vector<Words> pieces_;
};

std::size_t joined(const DecodedStream& stream) {
  std::size_t n = 0;
  for (const auto& batch : stream.batches)
    for (const Range& r : batch->ranges) n += r.inside;
  return n;
}

TEST(Rows, SayWhatTheirRangesSay) {
  std::size_t n = 0;
  for (std::uint64_t seed = 1; seed <= 250; seed++) {
    const Sweeps sweeps(seed);
    const DecodedStream rows({sweeps.whole()}), ranges(sweeps.pieces());
    ASSERT_EQ(joined(ranges), 0u);
    ASSERT_EQ(rows.decoder.time(), ranges.decoder.time());
    ASSERT_EQ(rows.decoder.units().site_executions(), ranges.decoder.units().site_executions());
    n += joined(rows);
    for (const Make make : {make_dependence, make_dependence_all, make_stride, make_points_to,
                            make_object_relative, make_cache})
      ASSERT_EQ(difference(rows.profile(make), ranges.profile(make)), "") << "seed " << seed;
  }
  EXPECT_GT(n, 500u);
}

}  // namespace
}  // namespace memprof::backend::testing
