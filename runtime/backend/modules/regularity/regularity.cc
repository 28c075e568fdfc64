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
//      element came for 1000 references: streams that are kept for ever, as in the paper, would in
//      time expect any address, and call irregular code regular. regularity_options.h says how to
//      choose this, and the detector's window.
//
// Loops, functions and the program are sums over their sites (feedback/regularity.h).
//
// Ranges. Once the pattern in which a range joins streams is certain to go on, its rest is one
// step (range_pattern.h). Everything else goes through the detector element by element.
//
// Windows. By default only a part of the references is looked at, in windows (windows.h). A window
// begins with empty detectors, and looks at enough references to know the streams that are going on
// before it counts, each with its weight. So shares and numbers of streams have no bias; lengths do,
// since the end of the window ends all streams. Counts are scaled to the executions of each site, which are exact.
// No window begins for a site that has settled (converge=), or whose function has been in enough of them (samples=);
// where one begins for other code, such sites go on counting, as this costs nothing and has no bias.
//
// What it does not do: it does not see spills of registers to the stack, which GIMPLE
// does not show; and code between two elements of a function's stream (a call) counts
// towards the window.
//
// Paper: Mohan, de Supinski, McKee, Mueller, Yoo, Schulz, SC 2003.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "feedback/regularity.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/regularity/range_pattern.h"
#include "runtime/backend/modules/regularity/regularity_options.h"
#include "runtime/backend/modules/regularity/stream_detector.h"
#include "runtime/backend/modules/regularity/windows.h"

namespace memprof::backend {
namespace {

static_assert(Windows::k_before >= RegularityOptions{}.expire);

// Streams of a detector, with those that have ended. Not more of them than `expire' have not.
std::size_t most_streams(const RegularityOptions& options) {
  return options.expire == 0 ? ~std::size_t{0} : std::max<std::size_t>(2 * options.expire, 2000);
}

RegularityOptions options_of(const ProgramInfo& program) {
  RegularityOptions options;
  const std::string_view text = program.option("regularity");
  if (!parse_regularity_options(text, options))
    program.note("regularity=" + std::string(text) + " makes no sense; streams are found as usual");
  return options;
}

// A first element may lie two detector's windows before the third one.
std::uint64_t looked_at_after(const RegularityOptions& options) {
  return std::max<std::uint64_t>(Windows::k_after, 2 * options.window);
}

// Before a site is taken to have settled: references that windows have looked at.
constexpr std::uint64_t k_enough_references = 100;

// Windows with counted references of a function.
struct FunctionWindows {
  std::uint64_t number = 0, last = 0;  // last: the number of the last one
};

struct Counts {
  struct Share {
    std::uint64_t references = 0, regular = 0;
    std::uint64_t of(std::uint64_t whole) const {
      return references == 0 ? 0
                             : static_cast<std::uint64_t>(static_cast<unsigned __int128>(whole) *
                                                          regular / references);
    }
    double value() const {
      return references == 0 ? 0 : static_cast<double>(regular) / static_cast<double>(references);
    }
  };
  std::uint64_t looked = 0;  // references; those of now, half and quarter have the weights of windows
  Share now, half, quarter;  // half: after the last number of windows that is a power of two
  FunctionWindows* function = nullptr;
  std::uint64_t window = 0;  // number of the last one with a counted reference
  bool met = false;          // a batch with it has begun a window
  bool settled = false;
};

class RegularityModule final : public Module {
 public:
  explicit RegularityModule(const ProgramInfo& program)
      : program_(program),
        options_(options_of(program)),
        most_streams_(most_streams(options_)),
        windows_(collection_of(program), looked_at_after(options_)),
        converge_(collection_of(program).converge / 100) {}

  // Which sites a batch has; complete collection does not ask.
  bool reads_columns() const override { return !windows_.complete(); }
  void consume(const Batch& batch) override {
    time_ = batch.time;
    batch_ = &batch;
    if (windows_.open() || wanted(batch))
      look_at(batch);
    else
      follow_thread(batch);
    for (const std::uint32_t thread : batch.ended_threads) end(thread);
  }

  void finish(feedback::Profile& profile) override {
    while (!detectors_.empty()) end(detectors_.begin()->first);
    add_sums();
    counts_.for_each([&](SiteId site, const Counts& counts) {
      const feedback::Id id = program_.site_id(site);
      if (counts.now.references == 0 || id == feedback::k_none) return;
      feedback::Regularity row = std::move(sums_[site]);
      row.site = id;
      row.references = counts.now.references;
      row.regular = counts.now.regular;
      if (!windows_.complete()) {
        scale_row(row, std::max(program_.executions(site), counts.looked));
        row.looked = counts.looked < row.references ? counts.looked : 0;
        row.before = row.looked != 0 ? counts.quarter.of(row.references) : 0;
      }
      profile.regularity.push_back(std::move(row));
    });
  }

 private:
  // Whether a window is to begin in BATCH. None is open.
  bool wanted(const Batch& batch) {
    if (windows_.complete()) return true;
    std::uint64_t unseen = Windows::k_never;  // when the first new site is executed
    for (const Column& column : batch.columns) {
      Counts& counts = counts_[column.site];
      if (!std::exchange(counts.met, true) && !done(column.site, counts))
        unseen = std::min(unseen, batch.time + column.first->items[0].time);
    }
    if (unseen != Windows::k_never && windows_.any()) windows_.begin_at(unseen);
    due_ = any_due(batch);
    return next_window() < batch.end;
  }
  // Whether windows have seen enough of a site.
  bool done(SiteId site, Counts& counts) {
    return counts.settled ||
           (options_.samples != 0 && function_of(site, counts).number >= options_.samples);
  }
  bool any_due(const Batch& batch) {
    return std::any_of(batch.columns.begin(), batch.columns.end(), [this](const Column& column) {
      return !done(column.site, counts_[column.site]);
    });
  }
  std::uint64_t next_window() const { return due_ ? windows_.next() : Windows::k_never; }
  FunctionWindows& function_of(SiteId site, Counts& counts) {
    if (counts.function == nullptr) counts.function = &functions_[program_.function_of(site)];
    return *counts.function;
  }
  // No reference of BATCH is looked at.
  void follow_thread(const Batch& batch) {
    for (auto e = batch.events.rbegin(); e != batch.events.rend(); ++e)
      if (e->kind == EventKind::thread) return set_thread(e->index);
  }
  void look_at(const Batch& batch) {
    for (const Event& e : batch.events) {
      if (e.kind == EventKind::range)
        range(batch, batch.ranges[e.index]);
      else if (e.kind != EventKind::block)
        event(e);
      else if (const Block block = batch.block_of(e); passes_over(block.desc.executions))
        time_ += block.desc.executions;
      else
        for_each(batch, e, [this](const Event& x) { event(x); });
    }
  }
  bool passes_over(std::uint64_t references) const {
    return !windows_.open() && time_ + references <= next_window();
  }
  void set_thread(std::uint32_t thread) {
    thread_ = thread;
    detector_ = nullptr;
  }

  void event(const Event& e) {
    switch (e.kind) {
      case EventKind::load:
      case EventKind::store: refer(e.address, e.kind == EventKind::store, e.site); break;
      case EventKind::thread: set_thread(e.index); break;
      case EventKind::gap: end(thread_); break;
      default: break;
    }
  }

  // A thread's.
  struct Detector {
    explicit Detector(const RegularityOptions& o)
        : streams(o.window, o.expire == 0 ? ~std::uint64_t{0} : o.expire) {}
    StreamDetector streams;
    // The first and the last reference that count.
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    bool counts(std::uint64_t number) const { return number >= first && number <= last; }
  };
  Detector& detector() {
    if (detector_ == nullptr) {
      auto& own = detectors_[thread_];
      if (own == nullptr) own = std::make_unique<Detector>(options_);
      detector_ = own.get();
    }
    return *detector_;
  }

  void count(SiteId site, std::uint64_t references, bool regular) {
    Counts& counts = counts_[site];
    counts.looked += references;
    counts.now.references += references * windows_.weight();
    if (regular) counts.now.regular += references * windows_.weight();
    if (counts.window != windows_.number()) [[unlikely]] note_window(site, counts);
  }
  // The open window counts references of SITE.
  void note_window(SiteId site, Counts& counts) {
    counts.window = windows_.number();
    FunctionWindows& function = function_of(site, counts);
    if (std::exchange(function.last, counts.window) != counts.window) function.number++;
  }
  // The streams of the window that is over.
  void add_sums() {
    for (auto& [site, row] : window_sums_) {
      row.references = 1;
      feedback::scale_row(row, windows_.weight());
      row.references = row.looked = 0;
      feedback::add_row(sums_[site], row);
    }
    window_sums_.clear();
  }

  // The next reference. Returns what the detector says, or 0 if it was not asked or is gone.
  unsigned refer(std::uint64_t address, bool store, SiteId site) {
    const std::uint64_t now = time_++;
    if (!windows_.open()) {
      if (now < next_window()) return 0;
      windows_.begin();
    }
    Detector& d = detector();
    const unsigned joined = d.streams.refer(address, store, site);
    const bool counted = windows_.counts();
    if (counted) {
      d.last = d.streams.references();
      d.first = std::min(d.first, d.last);
      count(site, 1, joined != 0);
    }
    if (joined == 3) {
      for (int i = 0; i < 2; i++)
        if (d.counts(d.streams.joined_numbers()[i])) counts_[d.streams.joined()[i]].now.regular += windows_.weight();
      if (d.streams.streams().size() > most_streams_)
        d.streams.end_streams([&](const auto& stream) { add(d, stream); });
    }
    windows_.spend();
    if (windows_.open()) return joined;
    end_window();
    return 0;
  }

  void end_window() {
    while (!detectors_.empty()) end(detectors_.begin()->first);
    add_sums();
    windows_.end(time_);
    if (windows_.number() >= 4 && std::has_single_bit(windows_.number()))
      counts_.for_each([this](SiteId, Counts& counts) { compare(counts); });
    due_ = any_due(*batch_);
  }
  // With what windows had seen after half as many.
  void compare(Counts& counts) const {
    const Counts::Share &now = counts.now, &half = counts.half;
    counts.settled = converge_ > 0 && counts.looked >= 2 * k_enough_references &&
                     std::abs(now.value() - half.value()) <= converge_ * now.value();
    counts.quarter = std::exchange(counts.half, now);
  }

  // A range of batch, as for_each expands it.
  void range(const Batch& batch, const Range& range) {
    std::uint64_t references = 0;  // of a row
    for (const RangeAccess& a : batch.accesses_of(range)) references += a.count;
    for (std::uint64_t row = 0; row < range.rows; row++) {
      if (references != 0 && passes_over(references)) {
        const std::uint64_t rows =
            std::min(range.rows - row, (next_window() - time_) / references);
        row += rows - 1;
        time_ += rows * references;
        continue;
      }
      accesses_.clear();
      for (const RangeAccess& a : batch.accesses_of(range)) accesses_.push_back(a.row(row));
      const std::uint64_t end = time_ + references;
      row_of(range.count);
      time_ = end;
    }
  }

  // COUNT iterations of accesses_.
  void row_of(std::uint64_t count) {
    const std::size_t size = accesses_.size();
    std::uint64_t whole = count;  // iterations that have all accesses
    for (const RangeAccess& a : accesses_) whole = std::min(whole, a.count);
    pattern_.begin(accesses_);
    for (std::uint64_t k = 0; k < count; k++) {
      if (passes_over(size)) {
        const std::uint64_t passed = (next_window() - time_) / size;
        if (passed >= count - k) return;
        k += passed;
        time_ += passed * size;
      }
      for (const RangeAccess& a : accesses_) {
        if (k >= a.count) continue;
        const std::uint64_t address = a.address + k * static_cast<std::uint64_t>(a.step);
        const unsigned joined = refer(address, a.store, a.site);
        pattern_.note(joined == 1 ? detector().streams.stream() : k_no_stream);
      }
      if (k + 1 < whole && windows_.open()) k += repeat(k + 1, whole - k - 1);
    }
  }
  // At most MOST iterations from iteration FIRST on, if what they do is certain. Returns how many.
  std::uint64_t repeat(std::uint64_t first, std::uint64_t most) {
    Detector& d = detector();
    const std::size_t period = pattern_.period(first, d.streams.streams());
    if (period == 0) return 0;
    if (!windows_.counts()) most = std::min(most, windows_.uncounted() / accesses_.size());
    const std::uint64_t times = most / period, iterations = times * period;
    const std::uint64_t references = iterations * accesses_.size();
    d.streams.repeat(pattern_.last(period), times);
    time_ += references;
    if (!windows_.counts()) {
      windows_.spend(references);
      if (!windows_.open()) end_window();
      return iterations;
    }
    d.last = d.streams.references();
    for (const RangeAccess& a : accesses_) count(a.site, iterations, true);
    return iterations;
  }

  void end(std::uint32_t thread) {
    const auto at = detectors_.find(thread);
    if (at == detectors_.end()) return;
    for (const auto& stream : at->second->streams.streams()) add(*at->second, stream);
    detectors_.erase(at);
    detector_ = nullptr;
  }

  // Stream S of D is over.
  void add(const Detector& d, const StreamDetector::Stream& s) {
    if (!d.counts(s.begun)) return;
    feedback::Regularity& row = window_sums_[s.section];
    feedback::add_stream(row, s.length, s.step);
    if (10 * s.gaps >= 9 * (s.length - 1)) feedback::add_period(row, s.gap, s.length);
  }

  const ProgramInfo& program_;
  const RegularityOptions options_;
  const std::size_t most_streams_;
  Windows windows_;
  double converge_;          // the change that is none
  std::uint64_t time_ = 0;   // accesses before the next one
  const Batch* batch_ = nullptr;
  bool due_ = true;          // there are sites in it that are not done
  std::map<std::uint32_t, std::unique_ptr<Detector>> detectors_;  // by thread
  std::uint32_t thread_ = 0;
  Detector* detector_ = nullptr;  // of the thread, or not looked up yet
  PerSite<Counts> counts_;
  std::unordered_map<FunctionId, FunctionWindows> functions_;
  // Of streams: in the open window, and with weights in those before.
  std::unordered_map<SiteId, feedback::Regularity> window_sums_, sums_;
  std::vector<RangeAccess> accesses_;  // of a row
  RangePattern pattern_;
};

}  // namespace

Collection collection_of(const ProgramInfo& program) {
  const auto number = [&program](const char* key) -> std::optional<std::uint64_t> {
    const std::string text(program.option(key));
    if (text.empty()) return std::nullopt;
    return std::strtoull(text.c_str(), nullptr, 10);
  };
  const std::string converge(program.option("converge"));
  return {number("period"), number("burst"), number("bursts"), std::strtod(converge.c_str(), nullptr)};
}

std::unique_ptr<Module> make_regularity(const ProgramInfo& program) {
  return std::make_unique<RegularityModule>(program);
}

}  // namespace memprof::backend
