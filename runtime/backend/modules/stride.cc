// stride.cc - address differences of consecutive executions of a site.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The stride of an execution is its address minus the address of the previous
// execution of the same site by the same thread; the first one has none.  Three
// things are counted per site:
//
//   * how often each stride occurs: exactly for the first 4096 distinct ones,
//     later new ones go to `other';
//   * repeats: executions whose stride equals the one before;
//   * how often each stride occurs inside one object, that is where both
//     executions accessed the same object (LEAP's strongly strided
//     instructions).  An address that belongs to no object has none.
//
// Inside one object the difference of offsets is the difference of addresses,
// so one table entry holds both counts.  The denominator of every share is all
// executions of the site.
//
// Example: offsets 0 8 16 24 of one object, then of another one that lies 4096
// bytes further: strides 8 8 8 4072 8 8 8, dominant 8 with 6 of 8 executions,
// inside one object as well 6 of 8.
//
// Equal strides in a row are counted with the site's last access and reach the
// table as one run, so that a site with a constant stride touches no table, and
// a range is two runs: the stride of its first execution, and its step.
//
// feedback/derive.h turns the counts into shares and classes.
#include <algorithm>
#include <map>
#include <utility>

#include "feedback/derive.h"
#include "runtime/backend/base/fault.h"
#include "runtime/backend/base/parallel.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/stride_histogram.h"

namespace memprof::backend {
namespace {

constexpr std::size_t k_shown = 8;          // strides of a site in the profile
constexpr std::size_t k_parallel = 50'000;  // strides; fewer are not worth TBB's start

// The last execution of a site by one thread, and the strides before it as far
// as they are equal.
struct LastAccess {
  std::uint64_t address = 0;
  std::int64_t stride = 0;
  std::uint64_t run = 0;         // executions with this stride; 0: none yet
  std::uint64_t run_within = 0;  // of them inside one object
  GroupId group = 0;
  std::uint32_t object = 0;
  bool seen = false;
  bool listed = false;           // among the sites of its thread that were looked up
};

// What a thread executed last. A burst of sample mode executes few of all sites, and
// what it left is forgotten when the next burst begins: so they are listed.
struct ThreadSites {
  PerSite<LastAccess> last;
  std::vector<SiteId> asked;  // whose state was looked up; the others are as they began
};

// Strides of a site within loops that were reported as a whole, in bursts or not.
struct Reported {
  StrideHistogram histogram;
  std::uint64_t loops = 0, executions = 0;

  // One loop, which represents TIMES such ones.
  void add(const RangeAccess& a, std::uint64_t times) {
    loops += times;
    executions += times * a.count;
    if (a.count == 1) return;
    histogram.open();
    histogram.add(a.step, a.count - 1, a.group != 0 ? a.count - 1 : 0, times);
  }
  // Whether there is little that it does not have: the strides from loop to loop.
  bool enough() const { return !histogram.empty() && loops <= executions / 8; }
};

class StrideModule final : public Module {
 public:
  explicit StrideModule(const ProgramInfo& program) : program_(program) {}
  void consume(const Batch& batch) override;
  void settle() override;
  void finish(feedback::Profile& profile) override;

 private:
  LastAccess& last_of(std::uint32_t thread, SiteId site) {
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    ThreadSites& sites = threads_[thread];
    if (g_fault == Fault::stride_reset) site &= ~SiteId{1};
    LastAccess& last = sites.last[site];
    if (!last.listed) {
      last.listed = true;
      sites.asked.push_back(site);
    }
    return last;
  }
  StrideHistogram& histogram_of(SiteId site) {
    StrideHistogram& histogram = histograms_[site];
    histogram.open();
    return histogram;
  }
  void column(const Batch& batch, const Column& column);
  void end_runs(ThreadSites& sites);

  const ProgramInfo& program_;
  std::vector<ThreadSites> threads_;
  PerSite<StrideHistogram> histograms_;
  std::map<SiteId, Reported> reported_;  // sample mode
  std::vector<feedback::Stride> rows_;  // at the end
};

void end_run(StrideHistogram& histogram, LastAccess& last) {
  histogram.add_run(last.stride, last.run, last.run_within);
  last.run = 0;
}

// COUNT executions in a row with one stride.
void add(StrideHistogram& histogram, LastAccess& last, std::int64_t stride, std::uint64_t count,
         std::uint64_t within) {
  if (stride != last.stride || last.run == 0) {
    end_run(histogram, last);
    last.stride = stride;
    last.run_within = 0;
  }
  last.run += count;
  last.run_within += within;
}

// One execution of a site.
inline void access(StrideHistogram& histogram, LastAccess& last, std::uint64_t address,
                   bool within) {
  const auto stride = static_cast<std::int64_t>(address - last.address);
  last.address = address;
  if (last.seen) [[likely]]
    add(histogram, last, stride, 1, within);
  last.seen = true;
}

// N executions of a site that has had some, all of them in the object of the last one or,
// unless WITHIN, in none.
void more_accesses(StrideHistogram& histogram, LastAccess& last, const Item* items,
                   std::uint32_t n, bool within) {
  std::uint64_t address = last.address, run = last.run;
  std::int64_t stride = last.stride;
  // How many more executions of the run were inside one object than what WITHIN says of all.
  std::uint64_t more = last.run_within - (within ? run : 0);
  const auto run_within = [&] { return more + (within ? run : 0); };
  for (std::uint32_t i = 0; i < n; i++) {
    const auto next = static_cast<std::int64_t>(items[i].address - address);
    address = items[i].address;
    if (next != stride) {
      histogram.add_run(stride, run, run_within());
      stride = next;
      run = more = 0;
    }
    run++;
  }
  last.address = address;
  last.stride = stride;
  last.run = run;
  last.run_within = run_within();
}

// As many of N executions of a site that has had some as are of THREAD and no ranges, whatever
// object each is in: how many.
std::uint32_t scattered_accesses(StrideHistogram& histogram, LastAccess& last, const Batch& batch,
                                 std::uint32_t thread, const Item* items, std::uint32_t n) {
  std::uint64_t address = last.address, run = last.run, run_within = last.run_within;
  std::int64_t stride = last.stride;
  GroupId group = last.group;
  std::uint32_t object = last.object, i = 0;
  for (; i < n && (items[i].target & k_range_item) == 0; i++) {
    const Target& t = batch.targets[items[i].target];
    if (t.thread != thread) break;
    const bool within = t.group != 0 && t.group == group && t.object == object;
    group = t.group;
    object = t.object;
    const auto next = static_cast<std::int64_t>(items[i].address - address);
    address = items[i].address;
    if (next != stride) {
      histogram.add_run(stride, run, run_within);
      stride = next;
      run = run_within = 0;
    }
    run++;
    run_within += within;
  }
  last = {address, stride, run, run_within, group, object, true};
  return i;
}

// The sites of a large table see one stride after the other: all that they look at is prefetched
// while the column before is being counted.
void prefetch(const StrideHistogram& histogram, const Column& column) {
  std::uint64_t address = column.first->items[0].address;
  Batch::for_items(column, [&](const Item& item) {
    histogram.prefetch(static_cast<std::int64_t>(item.address - address));
    address = item.address;
  });
}

// The site goes on in this object; whether the previous execution was there.
bool change_object(LastAccess& last, GroupId group, std::uint32_t object) {
  const bool within = group != 0 && group == last.group && object == last.object;
  last.group = group;
  last.object = object;
  return within;
}

void row(StrideHistogram& histogram, LastAccess& last, const RangeAccess& a) {
  access(histogram, last, a.address, change_object(last, a.group, a.object));
  if (a.count == 1) return;
  add(histogram, last, a.step, a.count - 1, a.group != 0 ? a.count - 1 : 0);
  last.address = a.address + (a.count - 1) * static_cast<std::uint64_t>(a.step);
}

// Rows are alike from the second on: each ends the run of steps of the one before, and has
// one stride that leads to it. But if that is the step, too, all of them are one row.
void range(StrideHistogram& histogram, LastAccess& last, RangeAccess a) {
  if (a.count == 1) a = a.column(0);
  const std::int64_t between =
      a.row_step - static_cast<std::int64_t>(a.count - 1) * a.step;
  if (between == a.step) a.count *= std::exchange(a.rows, 1);
  std::uint64_t i = 0;
  for (; i < std::min<std::uint64_t>(a.rows, 2); i++) row(histogram, last, a.row(i));
  if (i == a.rows) return;
  const std::uint64_t rows = a.rows - i, within = a.group != 0;
  histogram.add(a.step, a.count - 1, within * (a.count - 1), rows);
  histogram.add(between, 1, within, rows);
  last.address += rows * static_cast<std::uint64_t>(a.row_step);
}

void StrideModule::end_runs(ThreadSites& sites) {
  for (const SiteId site : sites.asked)
    if (sites.last[site].run != 0) end_run(histogram_of(site), sites.last[site]);
}

// The state of the site stays in registers, as long as the thread does.
void StrideModule::column(const Batch& batch, const Column& column) {
  StrideHistogram& histogram = histogram_of(column.site);
  std::uint32_t thread = 0;
  LastAccess* kept = nullptr;
  LastAccess last;
  const auto change_thread = [&](std::uint32_t next) {
    if (kept && next == thread) return;
    if (kept) *kept = last;
    thread = next;
    kept = &last_of(thread, column.site);
    last = *kept;
  };
  Batch::for_chunks(column, [&](const Item* items, std::uint32_t n, bool mixed) {
    for (const Item* const end = items + n; items < end;) {
      const auto left = static_cast<std::uint32_t>(end - items);
      if ((items->target & k_range_item) != 0) {
        const RangeAccess& a = batch.accesses[items->target - k_range_item];
        change_thread(batch.ranges[a.range].thread);
        range(histogram, last, a);
        items++;
        continue;
      }
      const Target& t = batch.targets[items->target];
      change_thread(t.thread);
      if (mixed && last.seen) {
        items += scattered_accesses(histogram, last, batch, thread, items, left);
        continue;
      }
      access(histogram, last, items->address, change_object(last, t.group, t.object));
      items++;
      if (mixed) continue;
      more_accesses(histogram, last, items, left - 1, t.group != 0);
      items = end;
    }
  });
  if (kept) *kept = last;
}

void StrideModule::consume(const Batch& batch) {
  const Column* const end = batch.columns.data() + batch.columns.size();
  const auto count_column = [&](const Column& c) {
    const Column* const next = &c + 1;
    if (const auto* const h = next < end ? histograms_.find(next->site) : nullptr; h && h->large())
      prefetch(*h, *next);
    column(batch, c);
  };
  batch.for_columns(count_column, [this](SiteId site) { histograms_.prefetch(site); });
  for (const Batch::LoopSample& w : batch.loop_samples)
    if (w.times != 0) reported_[w.access.site].add(w.access, w.times);
  for (const std::uint32_t thread : batch.ended_threads)
    if (thread < threads_.size()) {
      end_runs(threads_[thread]);
      threads_[thread] = {};
    }
  for (const std::uint32_t thread : batch.gaps)
    if (thread < threads_.size()) {
      ThreadSites& sites = threads_[thread];
      end_runs(sites);
      for (const SiteId site : sites.asked) sites.last[site] = {};
      sites.asked.clear();
    }
}

// The most frequent strides, in order; what is not shown is added to `other'.
template <std::uint64_t StrideEntry::*member>
std::vector<feedback::StrideCount> shown(const std::vector<StrideEntry>& entries,
                                         std::uint64_t& other) {
  std::vector<feedback::StrideCount> result;
  result.reserve(entries.size());
  for (const StrideEntry& e : entries)
    if (e.*member != 0) result.push_back({e.stride, e.*member});
  const std::size_t kept = std::min(result.size(), k_shown);
  std::partial_sort(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(kept),
                    result.end(), feedback::stride_before);
  for (std::size_t i = kept; i < result.size(); i++) other += result[i].count;
  result.resize(kept);
  result.shrink_to_fit();
  return result;
}

feedback::Stride row_of(const StrideHistogram& histogram) {
  feedback::Stride row;
  row.repeats = histogram.repeats;
  row.other = histogram.other;
  row.within_object.other = histogram.other_within;
  const std::vector<StrideEntry> entries = histogram.entries();
  row.histogram = shown<&StrideEntry::count>(entries, row.other);
  row.within_object.histogram =
      shown<&StrideEntry::within>(entries, row.within_object.other);
  return row;
}

void StrideModule::settle() {
  for (ThreadSites& sites : threads_) end_runs(sites);
  for (const auto& [site, reported] : reported_)
    if (reported.enough())
      histogram_of(site) = reported.histogram.scaled(program_.executions(site), reported.executions);
  // Most sites of a large program were never executed.
  std::vector<std::pair<SiteId, const StrideHistogram*>> sites;
  std::size_t strides = 0;
  histograms_.for_each([&](SiteId site, const StrideHistogram& histogram) {
    if (histogram.empty() || program_.site_id(site) == feedback::k_none) return;
    sites.emplace_back(site, &histogram);
    strides += histogram.distinct();
  });
  rows_.resize(sites.size());
  const auto make_row = [&](std::size_t i) {
    const auto& [site, histogram] = sites[i];
    feedback::Stride& row = rows_[i];
    row = row_of(*histogram);
    row.site = program_.site_id(site);
    row.executions = program_.executions(site);
    feedback::derive(row);
  };
  if (strides < k_parallel)
    for (std::size_t i = 0; i < sites.size(); i++) make_row(i);
  else
    parallel_for(sites.size(), make_row);
}

void StrideModule::finish(feedback::Profile& profile) { profile.strides = std::move(rows_); }

}  // namespace

std::unique_ptr<Module> make_stride(const ProgramInfo& program) {
  return std::make_unique<StrideModule>(program);
}

}  // namespace memprof::backend
