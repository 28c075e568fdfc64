// regularity.cc - profiling module: spatial regularity of each access site.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which share of its references belongs to streams (stream_detector.h), and what these
// streams are like: how long, of which step, over how many pages, how interleaved. That
// says whether hardware can fetch ahead, and which change of a loop would help.
//
//     for (i = 0; i < n; i++) y[i] = a[col[i]];     y, col: regular; a: irregular
//
// Steps:
//
//   1. Each thread has a detector, which sees its loads and stores in their order.
//      References of all sites share it, so a stream may go across instructions: in
//      a[i-1] + a[i] + a[i+1] the three loads take part in the same streams.
//   2. Each site counts its references, and those that have joined a stream.
//   3. A stream counts where it was found, at the site of its third element. It has ended when no
//      element came for ten detector's windows: streams that are kept for ever would in time expect
//      any address, and call irregular code regular.
//
// Loops, functions and the program are sums over their sites (feedback/regularity.h).
//
// Ranges. Once the pattern in which a range joins streams is certain to go on, its rest is one
// step (range_pattern.h). Everything else goes through the detector element by element.
//
// What it does not do: it does not see spills of registers to the stack, which GIMPLE
// does not show; and code between two elements of a function's stream (a call) counts
// towards the window.
//
// Paper: Mohan, de Supinski, McKee, Mueller, Yoo, Schulz, SC 2003.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "feedback/regularity.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/regularity/range_pattern.h"
#include "runtime/backend/modules/regularity/stream_detector.h"

namespace memprof::backend {
namespace {

// References for which a stream waits for its next element.
constexpr std::uint64_t k_life = 10 * StreamDetector::k_window;
// Streams of a detector, with those that have ended. At most k_life of them have not.
constexpr std::size_t k_most_streams = 2 * k_life;

struct Counts {
  std::uint64_t references = 0, regular = 0;
};

class RegularityModule final : public Module {
 public:
  explicit RegularityModule(const ProgramInfo& program) : program_(program) {}

  bool reads_columns() const override { return false; }
  void consume(const Batch& batch) override {
    for (const Event& e : batch.events) {
      if (e.kind == EventKind::range)
        range(batch, batch.ranges[e.index]);
      else if (e.kind == EventKind::block)
        for_each(batch, e, [this](const Event& x) { event(x); });
      else
        event(e);
    }
    for (const std::uint32_t thread : batch.ended_threads) end(thread);
  }

  void finish(feedback::Profile& profile) override {
    while (!detectors_.empty()) end(detectors_.begin()->first);
    counts_.for_each([&](SiteId site, const Counts& counts) {
      const feedback::Id id = program_.site_id(site);
      if (counts.references == 0 || id == feedback::k_none) return;
      feedback::Regularity row = std::move(sums_[site]);
      row.site = id;
      row.references = counts.references;
      row.regular = counts.regular;
      profile.regularity.push_back(std::move(row));
    });
  }

 private:
  void event(const Event& e) {
    switch (e.kind) {
      case EventKind::load:
      case EventKind::store: refer(e.address, e.kind == EventKind::store, e.site); break;
      case EventKind::thread:
        thread_ = e.index;
        detector_ = nullptr;
        break;
      case EventKind::gap: end(thread_); break;
      default: break;
    }
  }

  StreamDetector& detector() {
    if (detector_ == nullptr) {
      auto& own = detectors_[thread_];
      if (own == nullptr)
        own = std::make_unique<StreamDetector>(StreamDetector::k_window, k_life);
      detector_ = own.get();
    }
    return *detector_;
  }

  unsigned refer(std::uint64_t address, bool store, SiteId site) {
    StreamDetector& d = detector();
    Counts& counts = counts_[site];
    counts.references++;
    const unsigned joined = d.refer(address, store, site);
    if (joined != 0) counts.regular++;
    if (joined != 3) return joined;
    for (const std::uint32_t other : d.joined()) counts_[other].regular++;
    if (d.streams().size() > k_most_streams)
      d.end_streams([this](const auto& stream) { add(stream); });
    return joined;
  }

  // A range of batch, as for_each expands it.
  void range(const Batch& batch, const Range& range) {
    for (std::uint64_t row = 0; row < range.rows; row++) {
      accesses_.clear();
      for (const RangeAccess& a : batch.accesses_of(range)) accesses_.push_back(a.row(row));
      row_of(range.count);
    }
  }

  // COUNT iterations of accesses_.
  void row_of(std::uint64_t count) {
    std::uint64_t whole = count;  // iterations that have all accesses
    for (const RangeAccess& a : accesses_) whole = std::min(whole, a.count);
    pattern_.begin(accesses_);
    for (std::uint64_t k = 0; k < count; k++) {
      for (const RangeAccess& a : accesses_) {
        if (k >= a.count) continue;
        const std::uint64_t address = a.address + k * static_cast<std::uint64_t>(a.step);
        const unsigned joined = refer(address, a.store, a.site);
        pattern_.note(joined == 1 ? detector().stream() : k_no_stream);
      }
      if (k + 1 < whole) k += repeat(k + 1, whole - k - 1);
    }
  }
  // At most MOST iterations from iteration FIRST on, if what they do is certain. Returns how many.
  std::uint64_t repeat(std::uint64_t first, std::uint64_t most) {
    StreamDetector& d = detector();
    const std::size_t period = pattern_.period(first, d.streams());
    if (period == 0) return 0;
    const std::uint64_t times = most / period, iterations = times * period;
    d.repeat(pattern_.last(period), times);
    for (const RangeAccess& a : accesses_) {
      counts_[a.site].references += iterations;
      counts_[a.site].regular += iterations;
    }
    return iterations;
  }

  void end(std::uint32_t thread) {
    const auto at = detectors_.find(thread);
    if (at == detectors_.end()) return;
    for (const auto& stream : at->second->streams()) add(stream);
    detectors_.erase(at);
    detector_ = nullptr;
  }

  // Stream S is over.
  void add(const StreamDetector::Stream& s) {
    feedback::Regularity& row = sums_[s.section];
    feedback::add_stream(row, s.length, s.step);
    if (10 * s.gaps >= 9 * (s.length - 1)) feedback::add_period(row, s.gap, s.length);
  }

  const ProgramInfo& program_;
  std::map<std::uint32_t, std::unique_ptr<StreamDetector>> detectors_;  // by thread
  std::uint32_t thread_ = 0;
  StreamDetector* detector_ = nullptr;  // of the thread, or not looked up yet
  PerSite<Counts> counts_;
  std::unordered_map<SiteId, feedback::Regularity> sums_;
  std::vector<RangeAccess> accesses_;  // of a row
  RangePattern pattern_;
};

}  // namespace

std::unique_ptr<Module> make_regularity(const ProgramInfo& program) {
  return std::make_unique<RegularityModule>(program);
}

}  // namespace memprof::backend
