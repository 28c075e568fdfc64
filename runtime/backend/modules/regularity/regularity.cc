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
//   3. A stream counts where it was found, at the site of its third element, when the
//      program ends or when it has not been seen for long while there are too many.
//
// Loops, functions and the program are sums over their sites (feedback/regularity.h).
//
// Ranges. A loop of equal steps keeps its streams: once two iterations in a row have
// joined the same ones, each by its own step, all others do, provided that
//
//   * each access has a stream of its own, and
//   * accesses of different steps never meet: they might then find that the stream of
//     the other one was modified last.
//
// Everything else goes through the detector element by element.
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
#include "runtime/backend/modules/regularity/stream_detector.h"

namespace memprof::backend {
namespace {

// Streams that a thread's detector keeps: 100 MB. Beyond that, those go that have not
// been seen for longest.
constexpr std::size_t k_most_streams = 1 << 20;

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
      case EventKind::gap:
        detector().retire(0, [this](const auto& stream) { add(stream, false); });
        detector().interrupt();
        break;
      default: break;
    }
  }

  StreamDetector& detector() {
    if (detector_ == nullptr) {
      auto& own = detectors_[thread_];
      if (own == nullptr) own = std::make_unique<StreamDetector>();
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
      d.retire(k_most_streams / 2, [this](const auto& stream) { add(stream, true); });
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
    before_.clear();
    for (std::uint64_t k = 0; k < count; k++) {
      streams_.clear();
      bool steady = true;
      for (const RangeAccess& a : accesses_) {
        if (k >= a.count) continue;
        const std::uint64_t address = a.address + k * static_cast<std::uint64_t>(a.step);
        const unsigned joined = refer(address, a.store, a.site);
        streams_.push_back(joined == 1 ? detector().stream() : k_no_stream);
        steady = steady && joined == 1 &&
                 detector().streams()[streams_.back()].step == a.step;
      }
      if (steady && streams_.size() == accesses_.size() && streams_ == before_)
        k += repeat(k + 1);
      streams_.swap(before_);
    }
  }

  // From iteration FIRST on all are like the one before, if that is certain. Returns how
  // many are done.
  std::uint64_t repeat(std::uint64_t first) {
    std::uint64_t count = ~std::uint64_t{0};
    for (const RangeAccess& a : accesses_) count = std::min(count, a.count);
    if (first >= count || !apart(first)) return 0;
    const std::uint64_t times = count - first;
    detector().repeat(streams_, times);
    for (const RangeAccess& a : accesses_) {
      counts_[a.site].references += times;
      counts_[a.site].regular += times;
    }
    return times;
  }

  // Whether each access has its stream, and none meets another one of another step.
  bool apart(std::uint64_t first) const {
    for (std::size_t i = 0; i < accesses_.size(); i++)
      for (std::size_t j = 0; j < i; j++) {
        const RangeAccess &a = accesses_[i], &b = accesses_[j];
        if (streams_[i] == streams_[j]) return false;
        if (a.store != b.store || a.step == b.step) continue;
        const auto x = expected(a, first), y = expected(b, first);
        if (x.first <= y.second && y.first <= x.second) return false;
      }
    return true;
  }
  // The least and the greatest address that A refers to from iteration FIRST on, or
  // that its stream expects then.
  static std::pair<__int128, __int128> expected(const RangeAccess& a, std::uint64_t first) {
    const __int128 from = static_cast<__int128>(a.address) +
                          static_cast<__int128>(a.step) * static_cast<__int128>(first);
    const __int128 to = from + static_cast<__int128>(a.step) *
                                   static_cast<__int128>(a.count - first);
    return {std::min(from, to), std::max(from, to)};
  }

  void end(std::uint32_t thread) {
    const auto at = detectors_.find(thread);
    if (at == detectors_.end()) return;
    for (const auto& stream : at->second->streams()) add(stream, false);
    detectors_.erase(at);
    detector_ = nullptr;
  }

  // STREAM is over; RETIRED: maybe not, but it is no longer expected.
  void add(const StreamDetector::Stream& s, bool retired) {
    feedback::Regularity& row = sums_[s.section];
    row.retired += retired;
    feedback::add_stream(row, s.length, s.step);
    if (10 * s.gaps >= 9 * (s.length - 1)) feedback::add_period(row, s.gap, s.length);
  }

  const ProgramInfo& program_;
  std::map<std::uint32_t, std::unique_ptr<StreamDetector>> detectors_;  // by thread
  std::uint32_t thread_ = 0;
  StreamDetector* detector_ = nullptr;  // of the thread, or not looked up yet
  PerSite<Counts> counts_;
  std::unordered_map<SiteId, feedback::Regularity> sums_;
  std::vector<RangeAccess> accesses_;             // of a row
  std::vector<std::uint32_t> streams_, before_;  // of an iteration and the one before
};

}  // namespace

std::unique_ptr<Module> make_regularity(const ProgramInfo& program) {
  return std::make_unique<RegularityModule>(program);
}

}  // namespace memprof::backend
