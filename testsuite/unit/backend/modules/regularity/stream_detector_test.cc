// stream_detector_test.cc - the worked examples of Mohan et al., SC 2003, and a pool of
// differences as the paper describes it, as the reference.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/regularity/stream_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "feedback/regularity.h"

namespace memprof::backend {
namespace {

struct Reference {
  std::uint64_t address;
  bool store = false;
};
using Found = std::vector<std::tuple<std::uint64_t, std::uint64_t, std::int64_t>>;

Found found(const StreamDetector& detector) {
  Found result;
  for (const auto& s : detector.streams()) result.emplace_back(s.start, s.length, s.step);
  return result;
}

StreamDetector run(const std::vector<Reference>& references, std::uint32_t window = 100,
                   std::uint64_t life = ~std::uint64_t{0}) {
  StreamDetector detector(window, life);
  for (const Reference& r : references) detector.refer(r.address, r.store);
  return detector;
}

std::vector<Reference> loads(const std::vector<std::uint64_t>& addresses) {
  std::vector<Reference> result;
  for (const std::uint64_t a : addresses) result.push_back({a});
  return result;
}

double regularity(const StreamDetector& detector) {
  double members = 0;
  for (const auto& s : detector.streams()) members += static_cast<double>(s.length);
  return members / static_cast<double>(detector.references());
}

// Section 3.2, word by word: a table of differences to all elements of the window, O(w^2)
// for each reference. Elements are kept for ever, so that it is too simple to be wrong.
class Pool {
 public:
  explicit Pool(std::size_t window, std::size_t life) : window_(window), life_(life) {}

  void refer(const Reference& r) {
    Element now{r, false, {}};
    const std::size_t t = elements_.size();
    for (std::size_t i = streams_.size(); i-- > 0;) {
      const std::size_t s = order_[i];
      const auto [start, length, step] = streams_[s];
      if (stores_[s] != r.store || t - last_[s] > life_ ||
          start + length * static_cast<std::uint64_t>(step) != r.address)
        continue;
      std::get<1>(streams_[s])++;
      last_[s] = t;
      order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(i));
      order_.push_back(s);
      now.taken = true;
      elements_.push_back(now);
      return;
    }
    for (std::size_t i = 1; i < window_ && i <= t; i++)
      if (const Element& e = elements_[t - i]; !e.taken && e.reference.store == r.store)
        now.differences[i] = r.address - e.reference.address;
    elements_.push_back(now);
    for (const auto& [i, difference] : now.differences) {
      Element& middle = elements_[t - i];
      for (const auto& [k, other] : middle.differences)
        if (other == difference && !elements_[t - i - k].taken) {
          Element& first = elements_[t - i - k];
          first.taken = middle.taken = elements_[t].taken = true;
          order_.push_back(streams_.size());
          streams_.emplace_back(first.reference.address, 3,
                                static_cast<std::int64_t>(difference));
          stores_.push_back(r.store);
          last_.push_back(t);
          return;
        }
    }
  }
  const Found& streams() const { return streams_; }
  // Of reference NUMBER, from 0, to those by how far they lie before it.
  const std::map<std::size_t, std::uint64_t>& differences(std::size_t number) const {
    return elements_[number].differences;
  }

 private:
  struct Element {
    Reference reference;
    bool taken;
    std::map<std::size_t, std::uint64_t> differences;  // by distance
  };
  std::size_t window_, life_;
  std::vector<Element> elements_;
  Found streams_;
  std::vector<bool> stores_;
  std::vector<std::size_t> last_;   // elements before the last one of the stream
  std::vector<std::size_t> order_;  // of streams, modified last at the end
};

TEST(StreamDetector, FindsTheStreamsOfTheWorkedExample) {
  StreamDetector detector(100);
  const std::vector<std::uint64_t> example{100, 211, 100, 100, 212, 100,
                                           100, 213, 100, 100, 214, 100};
  const std::map<std::size_t, Found> after{{3, {}},
                                           {4, {{100, 3, 0}}},
                                           {7, {{100, 5, 0}}},
                                           {8, {{100, 5, 0}, {211, 3, 1}}},
                                           {12, {{100, 8, 0}, {211, 4, 1}}}};
  for (std::size_t i = 0; i < example.size(); i++) {
    detector.refer(example[i], false);
    const auto at = after.find(i + 1);
    if (at == after.end()) continue;
    EXPECT_EQ(found(detector), at->second) << "after reference " << i + 1;
  }
  EXPECT_EQ(regularity(detector), 1.0);
}

// Rows 1 to 3 of the paper's figure; marked elements take no part.
TEST(StreamDetector, ThePoolHasTheDifferencesOfTheWorkedExample) {
  const std::vector<std::uint64_t> example{100, 211, 100, 100, 212, 100, 100, 213};
  const std::vector<std::vector<std::int64_t>> rows{
      {0, 111, -111, 0, 112, -112, 0, 113}, {0, 0, 0, -111, 112, 0, -112, 113},
      {0, 0, 0, 0, 1, 0, 0, 1}};
  Pool pool(100, 1000);
  std::size_t seen = 0;
  for (std::size_t j = 0; j < example.size(); j++) {
    pool.refer({example[j]});
    for (const auto& [i, difference] : pool.differences(j)) {
      if (i > rows.size()) continue;
      EXPECT_EQ(static_cast<std::int64_t>(difference), rows[i - 1][j]) << j << ' ' << i;
      seen++;
    }
  }
  EXPECT_EQ(seen, 8u);
  EXPECT_EQ(pool.streams(), (Found{{100, 5, 0}, {211, 3, 1}}));
}

TEST(StreamDetector, TellsATriadsThreeStreamsApart) {
  std::vector<Reference> triad;
  for (std::uint64_t i = 0; i < 10; i++) {
    triad.push_back({100 + 4 * i});
    triad.push_back({500 + 4 * i});
    triad.push_back({900 + 4 * i, true});
  }
  const StreamDetector detector = run(triad);
  EXPECT_EQ(found(detector), (Found{{100, 10, 4}, {500, 10, 4}, {900, 10, 4}}));
  for (const auto& s : detector.streams()) {
    EXPECT_EQ(s.gap, 3u);
    EXPECT_EQ(s.gaps, s.length - 1);
  }
}

TEST(StreamDetector, SeesAColumnOfAMatrixAsOneStreamEach) {
  std::vector<Reference> transpose;
  for (std::uint64_t i = 0; i < 8; i++)
    for (std::uint64_t j = 0; j < 8; j++) {
      transpose.push_back({5000 + 8 * (j * 8 + i)});
      transpose.push_back({1000 + 8 * (i * 8 + j), true});
    }
  const StreamDetector detector = run(transpose);
  Found expected{{5000, 8, 64}, {1000, 64, 8}};
  for (std::uint64_t i = 1; i < 8; i++) expected.emplace_back(5000 + 8 * i, 8, 64);
  EXPECT_EQ(found(detector), expected);
  feedback::Regularity sum;
  sum.references = detector.references();
  for (const auto& s : detector.streams()) {
    feedback::add_stream(sum, s.length, s.step);
    sum.regular += s.length;
  }
  const feedback::RegularitySummary figures = feedback::summary(sum);
  EXPECT_EQ(figures.regularity, 1.0);
  EXPECT_EQ(figures.streams, 9u);
  EXPECT_NEAR(figures.length, 14.222, 5e-4);
  EXPECT_NEAR(figures.deviation, 17.599, 5e-4);
  EXPECT_NEAR(figures.step, 57.778, 5e-4);
  EXPECT_EQ(feedback::count_streams(sum, 1, 0), 9u);
  EXPECT_EQ(feedback::count_streams(sum, 5, 0), 9u);   // none of up to 4
  EXPECT_EQ(feedback::count_streams(sum, 33, 0), 1u);  // 8 of 5 to 32, 1 of 33 to 128
  EXPECT_EQ(feedback::count_streams(sum, 129, 0), 0u);
}

// c[i][j] += a[i][k] * b[k][j], in tiles of TILE by TILE of j and k.
std::vector<Reference> product(std::uint64_t n, std::uint64_t tile) {
  const auto at = [n](std::uint64_t base, std::uint64_t i, std::uint64_t j) {
    return base + 8 * (i * n + j);
  };
  std::vector<Reference> result;
  for (std::uint64_t jj = 0; jj < n; jj += tile)
    for (std::uint64_t kk = 0; kk < n; kk += tile)
      for (std::uint64_t i = 0; i < n; i++)
        for (std::uint64_t j = jj; j < jj + tile; j++) {
          for (std::uint64_t k = kk; k < kk + tile; k++) {
            result.push_back({at(1 << 20, i, k)});
            result.push_back({at(1 << 24, k, j)});
          }
          result.push_back({at(1 << 28, i, j), true});
        }
  return result;
}

struct Means {
  double length = 0, step = 0;
};
Means means(const StreamDetector& detector) {
  Means sums;
  for (const auto& s : detector.streams()) {
    sums.length += static_cast<double>(s.length);
    sums.step += std::abs(static_cast<double>(s.step));
  }
  const double n = static_cast<double>(detector.streams().size());
  return {sums.length / n, sums.step / n};
}

TEST(StreamDetector, SeesThatTilesShortenStreamsAndSteps) {
  const StreamDetector whole = run(product(48, 48), 100, 1000),
                       tiled = run(product(48, 8), 100, 1000);
  EXPECT_GE(regularity(whole), 0.95);
  EXPECT_GE(regularity(tiled), 0.95);
  EXPECT_LT(2 * means(tiled).length, means(whole).length);
  EXPECT_LT(means(tiled).step, means(whole).step);
}

TEST(StreamDetector, UsesElementsThatLeftTheWindowAsFirstOnes) {
  const auto sequence = loads({0, 500, 900, 8, 501, 903, 16, 502, 909});
  EXPECT_EQ(found(run(sequence, 4)), (Found{{0, 3, 8}, {500, 3, 1}}));
  EXPECT_EQ(found(run(sequence, 8)), (Found{{0, 3, 8}, {500, 3, 1}}));
  EXPECT_EQ(found(run(sequence, 3)), Found{});
}

TEST(StreamDetector, FindsTheIndexButNotWhatItLeadsTo) {
  std::vector<Reference> indirect;
  const std::uint64_t values[] = {37, 2, 91, 55, 13, 70, 8, 44, 99, 21};
  for (std::uint64_t i = 0; i < 10; i++) {
    indirect.push_back({4 * i});
    indirect.push_back({100000 + 8 * values[i] * values[i]});
  }
  const StreamDetector detector = run(indirect);
  EXPECT_EQ(found(detector), (Found{{0, 10, 4}}));
  EXPECT_EQ(regularity(detector), 0.5);
}

TEST(StreamDetector, KnowsScalarAndIrregularSequences) {
  const auto irregular = run(loads({7, 19, 3, 88, 41, 12})), scalar = run(loads({5, 5, 5, 5}));
  EXPECT_EQ(found(irregular), Found{});
  EXPECT_EQ(regularity(irregular), 0.0);
  EXPECT_EQ(found(scalar), (Found{{5, 4, 0}}));
  EXPECT_EQ(regularity(scalar), 1.0);
  // 12 joins the stream that is there, though 20, 16, 12 are one, too.
  const auto joined = run(loads({0, 4, 8, 20, 16, 12}));
  EXPECT_EQ(found(joined), (Found{{0, 4, 4}}));
  EXPECT_NEAR(regularity(joined), 0.6667, 0.0001);
}

TEST(StreamDetector, KeepsLoadsAndStoresApart) {
  EXPECT_EQ(found(run({{0}, {8, true}, {16}, {24, true}, {32}, {40, true}})),
            (Found{{0, 3, 16}, {8, 3, 16}}));
}

TEST(StreamDetector, CountsReferencesOfEachSection) {
  StreamDetector detector(100);
  EXPECT_EQ(detector.refer(0, false, 1), 0u);
  EXPECT_EQ(detector.refer(8, false, 2), 0u);
  EXPECT_EQ(detector.refer(16, false, 3), 3u);
  EXPECT_EQ(detector.joined()[0], 1u);
  EXPECT_EQ(detector.joined()[1], 2u);
  EXPECT_EQ(detector.refer(24, false, 1), 1u);
  EXPECT_EQ(detector.streams()[detector.stream()].section, 3u);
}

TEST(StreamDetector, EndsStreamsThatDoNotGoOn) {
  StreamDetector detector(100, 4);
  for (const std::uint64_t a : {0, 8, 16, 900, 901, 902, 24}) detector.refer(a, false);
  for (const std::uint64_t a : {5000, 6100}) EXPECT_EQ(detector.refer(a, false), 0u);
  EXPECT_EQ(detector.refer(903, false), 1u);  // the fourth reference after 902
  EXPECT_EQ(detector.refer(32, false), 1u);
  Found ended;
  const auto note = [&](const auto& s) { ended.emplace_back(s.start, s.length, s.step); };
  detector.end_streams(note);
  EXPECT_EQ(ended, Found{});
  for (const std::uint64_t a : {70000, 81000, 97700}) detector.refer(a, false);
  EXPECT_EQ(detector.refer(904, false), 0u);
  detector.end_streams(note);
  EXPECT_EQ(ended, (Found{{900, 4, 1}}));
  EXPECT_EQ(found(detector), (Found{{0, 5, 8}}));
  EXPECT_EQ(detector.refer(40, false), 0u);
}

TEST(StreamDetector, ForgetsWhatWaitsAndExpectsAtAnInterruption) {
  StreamDetector detector(100);
  for (const std::uint64_t a : {0, 8, 16, 100, 104}) detector.refer(a, false);
  detector.interrupt();
  for (const std::uint64_t a : {24, 108}) EXPECT_EQ(detector.refer(a, false), 0u);
}

// Few addresses, so that streams meet, repeat and are interrupted all the time.
TEST(StreamDetector, EqualsAPoolOfDifferencesOnRandomSequences) {
  std::mt19937_64 random(6);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int i = 0; i < 10000; i++) {
    const std::size_t window = 2 + below(12), length = 1 + below(60);
    const std::uint64_t addresses = 2 + below(40);
    const std::size_t life = below(2) == 0 ? 1000 : 1 + below(30);
    StreamDetector detector(static_cast<std::uint32_t>(window), life);
    Pool pool(window, life);
    std::uint64_t members = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> walks(1 + below(3));
    for (auto& [at, step] : walks) at = below(addresses), step = below(5) - 2;
    for (std::size_t k = 0; k < length; k++) {
      Reference r{below(addresses), below(4) == 0};
      auto& [at, step] = walks[below(walks.size())];
      if (below(3) != 0) r.address = at += step;
      members += detector.refer(r.address, r.store);
      pool.refer(r);
    }
    ASSERT_EQ(found(detector), pool.streams()) << "sequence " << i;
    ASSERT_LE(members, length);
    std::uint64_t lengths = 0;
    for (const auto& s : detector.streams()) lengths += s.length;
    ASSERT_EQ(lengths, members);
  }
}

}  // namespace
}  // namespace memprof::backend
