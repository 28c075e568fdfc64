// timeline.h - the table timeline: accesses, misses and live memory over the run.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// What happened in each of 64 slices of the run, all equally long by the clock of its mode
// (doc/feedback-format.md): in all threads, or in one.
struct Timeline {
  static constexpr std::size_t k_slices = 64;
  using Slices = std::array<std::uint64_t, k_slices>;

  std::uint32_t thread = 0;  // from 1; 0: all
  Slices accesses{};
  Slices misses{};           // of the last level
  Slices live{};             // most bytes of the heap and of mappings at one time
};

template <class V> void describe(V& v, Timeline& r) {
  v.integer("thread", r.thread, Need::optional);
  v.numbers("accesses", r.accesses, Need::optional);
  v.numbers("misses", r.misses, Need::optional);
  v.numbers("live", r.live, Need::optional);
}

inline auto key(const Timeline& r) { return std::tie(r.thread); }
// Slices of runs of different length: the first of each are one, and so on.
inline void add_slices(Timeline::Slices& sum, const Timeline::Slices& more) {
  for (std::size_t i = 0; i < Timeline::k_slices; i++) add_count(sum[i], more[i]);
}
inline void add_row(Timeline& sum, const Timeline& r) {
  add_slices(sum.accesses, r.accesses);
  add_slices(sum.misses, r.misses);
  for (std::size_t i = 0; i < Timeline::k_slices; i++) sum.live[i] = std::max(sum.live[i], r.live[i]);
}

// One row per thread; no slice has more accesses than the run.
template <>
struct Rules<Timeline> {
  std::set<std::uint32_t> seen;

  template <class Checker>
  void check(Checker& c, const Timeline& r) {
    if (!seen.insert(r.thread).second) c.fault("thread", "a second row with this thread");
    for (std::size_t i = 0; i < Timeline::k_slices; i++)
      c.at_most("accesses/" + c.num(i), r.accesses[i], c.profile().run.accesses, "the program's accesses");
  }
};

// Made of rows that are scaled.
template <class Factors>
void scale(Timeline&, const Factors&) {}

}  // namespace memprof::feedback
