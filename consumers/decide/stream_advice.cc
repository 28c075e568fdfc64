// stream_advice.cc - which changes of a loop the shapes of its streams call for.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/stream_advice.h"

#include "consumers/decide/text.h"

namespace memprof::decide {
namespace {

using feedback::k_long_stream;
using feedback::Regularity;

constexpr std::uint64_t k_many = 10000, k_few = 100;
constexpr std::uint64_t k_no_limit = ~std::uint64_t{0};
constexpr double k_worth = 0.1;        // of the references
constexpr double k_cache_misses = 0.05, k_tlb_misses = 0.001;
constexpr double k_irregular = 0.6;    // in the paper's table; its class begins at 0.65
constexpr double k_interleaved = 0.5;  // of the elements of streams

std::string number(std::uint64_t n) { return format("%.0f", static_cast<double>(n)); }
std::string share(double part) { return format("%.1f %%", 100 * part); }

class Rules {
 public:
  explicit Rules(const StreamFacts& facts)
      : facts_(facts), sum_(facts.sum), summary_(feedback::summary(facts.sum)) {}

  std::vector<StreamAdvice> all() {
    prefetching();
    tiling();
    fission();
    interchange();
    padding();
    copying();
    superpages();
    unrolling();
    restructuring();
    scatter_gather();
    return std::move(advice_);
  }

 private:
  void add(StreamRule rule, const StreamShape& shape, const std::string& text) {
    advice_.push_back({rule, shape, text});
  }
  std::uint64_t streams(const StreamShape& s) const {
    return feedback::count_streams(sum_, s.length, s.step, s.below);
  }
  double part(const StreamShape& shape) const {
    return summary_.references == 0 ? 0
                                    : static_cast<double>(elements_of(sum_, shape)) /
                                          static_cast<double>(summary_.references);
  }
  // "12 streams of 100 elements and more, 98.2 % of the references"
  std::string figures(const StreamShape& s) const {
    return number(streams(s)) + " streams of " + number(s.length) + " elements and more, " +
           share(part(s)) + " of the references";
  }
  std::string cache_text() const { return share(facts_.cache_misses) + " cache misses"; }
  std::string tlb_text() const { return share(facts_.tlb_misses) + " TLB misses"; }
  bool cache_high() const { return facts_.cache_misses >= k_cache_misses; }
  bool tlb_high() const { return facts_.tlb_misses >= k_tlb_misses; }

  void prefetching() {
    const StreamShape shape{k_long_stream, 1, 10};
    if (part(shape) >= k_worth)
      add(StreamRule::prefetching, shape, figures(shape) + ", steps below 10 bytes");
  }
  void tiling() {
    const StreamShape all{k_long_stream, 1, k_no_limit}, large{k_long_stream, 10, k_no_limit};
    if (streams(all) >= k_many && streams(large) != 0)
      add(StreamRule::tiling, large,
          figures(all) + ", " + number(streams(large)) + " of them with steps of 10 bytes and more");
  }
  void fission() {
    const std::uint64_t shorter = summary_.streams - streams({33, 0, k_no_limit});
    const StreamShape all{k_long_stream, 1, k_no_limit};
    if (shorter >= k_many && streams(all) != 0 && summary_.period > 2 &&
        summary_.period_share >= k_interleaved)
      add(StreamRule::fission, all,
          number(shorter) + " streams of at most 32 elements, and " + figures(all) +
              ", interleaved by " + number(summary_.period));
  }
  void interchange() {
    const StreamShape shape{5, 32, k_no_limit};
    if (part(shape) >= k_worth)
      add(StreamRule::interchange, shape, figures(shape) + ", steps of 32 bytes and more");
  }
  bool few_long_near() const {
    const StreamShape shape{k_long_stream, 1, 8};
    return streams(shape) < k_few && part(shape) >= k_worth;
  }
  void padding() {
    const StreamShape shape{k_long_stream, 1, 8};
    if (few_long_near() && cache_high())
      add(StreamRule::padding, shape, figures(shape) + ", steps below 8 bytes; " + cache_text());
  }
  void copying() {
    const StreamShape shape{k_long_stream, 32, k_no_limit};
    if (part(shape) >= k_worth)
      add(StreamRule::copying, shape, figures(shape) + ", steps of 32 bytes and more");
  }
  void superpages() {
    const StreamShape shape{k_long_stream, 1, k_no_limit};
    if (sum_.wide != 0 && part(shape) >= k_worth && tlb_high())
      add(StreamRule::superpages, shape,
          number(sum_.wide) + " streams over 10 pages and more; " + tlb_text());
  }
  void unrolling() {
    if (summary_.scalar >= k_many)
      add(StreamRule::unrolling, {3, 0, 1},
          number(summary_.scalar) + " streams of one address; if it is not a variable of the "
                                    "program, look for spills in the assembly");
  }
  void restructuring() {
    const StreamShape shape{k_long_stream, 1, 8};
    if (few_long_near() && cache_high() && tlb_high())
      add(StreamRule::restructuring, shape,
          figures(shape) + ", steps below 8 bytes; " + cache_text() + ", " + tlb_text());
  }
  void scatter_gather() {
    if (summary_.references != 0 && summary_.regularity < k_irregular)
      add(StreamRule::scatter_gather, {},
          "only " + share(summary_.regularity) + " of the references are in streams");
  }

  const StreamFacts& facts_;
  const Regularity& sum_;
  const feedback::RegularitySummary summary_;
  std::vector<StreamAdvice> advice_;
};

}  // namespace

const char* name(StreamRule rule) {
  static constexpr const char* names[] = {"prefetching", "tiling",  "fission",    "fusion",
                                          "interchange", "padding", "copying",    "superpages",
                                          "unrolling",   "restructuring", "scatter/gather"};
  return names[unsigned(rule)];
}

std::vector<StreamAdvice> advise_streams(const StreamFacts& facts) { return Rules(facts).all(); }

bool worth_fusing(const feedback::Regularity& a, const feedback::Regularity& b) {
  const StreamShape shape{k_long_stream, 1, k_no_limit};
  for (const feedback::Regularity* sum : {&a, &b})
    if (static_cast<double>(elements_of(*sum, shape)) <
            k_worth * static_cast<double>(sum->references) ||
        sum->references == 0)
      return false;
  return true;
}

std::uint64_t elements_of(const feedback::Regularity& sum, const StreamShape& shape) {
  std::uint64_t elements = 0;
  for (const feedback::StreamClass& c : sum.streams)
    if (c.length >= shape.length && c.step >= shape.step && c.step < shape.below)
      elements += c.elements;
  return elements;
}

}  // namespace memprof::decide
