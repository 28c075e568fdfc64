// timeline.cc - accesses, misses and live memory over the run.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Times are those of a clock that is the same in each run of a program that does
// the same: accesses so far, in sample mode places passed where a burst may begin, in objects mode
// births. The run is cut into cells (time_cells.h), which are dealt out to 64 slices of equal length
// in the end, in proportion to the time that they share with each.
//
// Cells are kept for each site, with what was seen of it. In the end the executions of a site, which
// are known by then, are dealt out like that, and so are its misses, which the module `cache' knows
// for the whole run only: as if the site had missed as often at all times. A slice has many misses
// because sites that miss were executed in it. A site of which it was never seen when it was
// executed counts in all slices, in proportion to the others.
//
//     site 1    seen 4 . 4 .     executed 80 times, missed 8 times     40 .  40 .     4 . 4 .
//     site 2    seen . 5 . 5     executed 20 times, missed never        . 10  . 10     . . . .
//
// Threads have cells, too, all their sites together: a slice is divided among threads as what was
// seen of them in it.
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/backend/base/per_site.h"
#include "runtime/backend/base/time_counts.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/program/live_memory.h"

namespace memprof::backend {
namespace {

using feedback::Timeline;

constexpr std::size_t k_slices = Timeline::k_slices;
// Threads with a row of their own; all later ones are in that of the last one.
constexpr std::uint32_t k_threads = 16;

using Parts = std::array<double, k_slices>;

using Cells = TimeCounts;  // executions seen in each

class TimelineModule final : public Module {
 public:
  explicit TimelineModule(const ProgramInfo& program) : program_(program), sampled_(program.sampled()) {}

  void consume(const Batch& batch) override;
  void finish(feedback::Profile&) override {}
  void derive(feedback::Profile& profile) override;

 private:
  struct Thread {
    // Of sites that report what they do between bursts (loop samples), and of others, for which
    // what bursts saw represents more.
    Cells reported, seen;
  };
  struct Sums {
    double executions = 0, misses = 0;
  };

  void reach(std::uint64_t time);
  // N executions of SITE by THREAD in CELL.
  void add(SiteId site, std::uint32_t thread, std::size_t cell, std::uint64_t n) {
    sites_[site].add(cell, n);
    thread = std::min(thread, k_threads - 1);
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    Thread& of = threads_[thread];
    (sampled_ && !program_.tells_p(site) ? of.seen : of.reported).add(cell, n);
  }
  void add_column(const Batch& batch, const Column& column, std::size_t first, std::size_t last);
  void add_item(const Batch& batch, SiteId site, const Item& item, std::size_t first, std::size_t last);
  void add_row(SiteId site, std::uint32_t thread, std::uint64_t time, std::uint64_t step, std::uint64_t n);
  void between_bursts(const RangeAccess& access, std::uint64_t times, std::uint64_t clock, std::uint32_t thread) {
    reach(clock);
    if (access.site != k_no_site) add(access.site, thread, scale_.cell(clock), access.executions() * times);
  }
  // Null: it was never seen when SITE was executed.
  const Cells* cells_of(SiteId site) const {
    for (const PerSite<Cells>* sites : {&sites_, &early_})
      if (const Cells* const cells = sites->find(site); cells && cells->all() != 0) return cells;
    return nullptr;
  }
  double end_in_cells() const { return scale_.cells(end_); }
  double seen_one_in(const std::unordered_map<feedback::Id, Sums>& sums) const;
  void add_threads(const Timeline& all, double seen_one_in, std::vector<Timeline>& rows) const;

  const ProgramInfo& program_;
  const bool sampled_;
  std::uint64_t end_ = 0;  // of the clock
  TimeScale scale_;
  PerSite<Cells> sites_;
  PerSite<Cells> early_;  // what the first entries of functions reported: for sites that nothing else has seen
  std::vector<Thread> threads_;
};

void TimelineModule::reach(std::uint64_t time) {
  end_ = std::max(end_, time + 1);
  for (unsigned i = scale_.reach(time); i > 0; i--) {
    for (PerSite<Cells>* sites : {&sites_, &early_}) sites->for_each([](SiteId, Cells& cells) { cells.join(); });
    for (Thread& thread : threads_) thread.reported.join(), thread.seen.join();
  }
}

void TimelineModule::consume(const Batch& batch) {
  std::size_t first = 0, last = 0;
  if (sampled_) {
    reach(batch.clock);
    first = last = scale_.cell(batch.clock);
  } else if (batch.end != batch.time) {
    reach(batch.end - 1);
    first = scale_.cell(batch.time), last = scale_.cell(batch.end - 1);
  }
  for (const Column& column : batch.columns) add_column(batch, column, first, last);
  for (const Batch::LoopSample& s : batch.loop_samples)
    between_bursts(s.access, std::max<std::uint64_t>(s.times, 1), s.clock, s.thread);
  for (const Batch::Early& e : batch.early) {
    reach(e.clock);
    if (e.access.site != k_no_site) early_[e.access.site].add(scale_.cell(e.clock), e.access.executions() * e.one_in);
  }
}

// The batch is in the cells FIRST to LAST, which is one for most.
void TimelineModule::add_column(const Batch& batch, const Column& column, std::size_t first, std::size_t last) {
  if (first == last && batch.threads <= 1 && batch.accesses.empty())
    return add(column.site, 0, first, column.size);
  Batch::for_chunks(column, [&](const Item* items, std::uint32_t n, bool mixed) {
    if (first == last && !mixed) return add(column.site, batch.thread_of(*items), first, n);
    for (std::uint32_t i = 0; i < n; i++) add_item(batch, column.site, items[i], first, last);
  });
}

void TimelineModule::add_item(const Batch& batch, SiteId site, const Item& item, std::size_t first, std::size_t last) {
  const std::uint32_t thread = batch.thread_of(item);
  if ((item.target & k_range_item) == 0)
    return add(site, thread, first == last ? first : scale_.cell(batch.time + item.time), 1);
  const RangeAccess& access = batch.accesses[item.target - k_range_item];
  if (first == last) return add(site, thread, first, access.executions());
  // The executions of a row follow each other at equal distances.
  const Range& range = batch.ranges[access.range];
  const std::uint64_t step = range.per_iteration != 0 ? range.per_iteration : range.size;
  for (std::uint64_t row = 0; row < access.rows && access.count != 0; row++)
    add_row(site, thread, range.row_time(row) + access.before, step, access.count);
}

// N executions, from TIME on, one each STEP.
void TimelineModule::add_row(SiteId site, std::uint32_t thread, std::uint64_t time, std::uint64_t step, std::uint64_t n) {
  while (n > 0) {
    const std::size_t cell = std::min(scale_.cell(time), TimeScale::k_cells - 1);
    const std::uint64_t left = scale_.begin(cell + 1) - std::min(time, scale_.begin(cell + 1) - 1);
    const std::uint64_t here = cell + 1 == TimeScale::k_cells ? n : std::min(n, (left + step - 1) / step);
    add(site, thread, cell, here);
    time += here * step;
    n -= here;
  }
}

// How often what bursts saw of sites that report nothing else has happened.
double TimelineModule::seen_one_in(const std::unordered_map<feedback::Id, Sums>& sums) const {
  double executions = 0, seen = 0;
  for (SiteId site = 1; site <= program_.sites(); site++) {
    const auto it = sums.find(program_.site_id(site));
    const Cells* const cells = sites_.find(site);
    if (it == sums.end() || !cells || program_.tells_p(site)) continue;
    executions += it->second.executions;
    seen += static_cast<double>(cells->all());
  }
  return seen > 0 ? executions / seen : 1;
}

void TimelineModule::add_threads(const Timeline& all, double seen_one_in, std::vector<Timeline>& rows) const {
  std::vector<Parts> parts(threads_.size());
  Parts sums{};
  for (std::size_t t = 0; t < threads_.size(); t++) {
    threads_[t].reported.deal(static_cast<double>(threads_[t].reported.all()), end_in_cells(), parts[t]);
    threads_[t].seen.deal(seen_one_in * static_cast<double>(threads_[t].seen.all()), end_in_cells(), parts[t]);
    for (std::size_t i = 0; i < k_slices; i++) sums[i] += parts[t][i];
  }
  for (std::size_t t = 0; t < threads_.size(); t++) {
    if (threads_[t].reported.all() + threads_[t].seen.all() == 0) continue;
    Timeline& row = rows.emplace_back();
    row.thread = static_cast<std::uint32_t>(t) + 1;
    for (std::size_t i = 0; i < k_slices; i++)
      if (sums[i] > 0)
        row.accesses[i] = static_cast<std::uint64_t>(static_cast<double>(all.accesses[i]) * parts[t][i] / sums[i]);
  }
}

void TimelineModule::derive(feedback::Profile& profile) {
  const LiveMemory* const memory = program_.live_memory();
  if (memory) end_ = std::max(end_, memory->end());
  if (end_ == 0) return;
  std::unordered_map<feedback::Id, Sums> sums;  // by site of the document
  for (const feedback::Module& module : profile.modules)
    for (const feedback::Function& function : module.functions)
      for (const feedback::Site& site : function.sites)
        sums[site.id].executions = static_cast<double>(site.executions);
  for (const feedback::Cache& row : profile.cache) sums[row.site].misses += static_cast<double>(row.llc);
  Parts accesses{}, misses{};
  Sums all, known;
  for (SiteId site = 1; site <= program_.sites(); site++) {
    const auto it = sums.find(program_.site_id(site));
    if (it == sums.end()) continue;
    all.executions += it->second.executions;
    all.misses += it->second.misses;
    const Cells* const cells = cells_of(site);
    if (!cells) continue;
    known.executions += it->second.executions;
    known.misses += it->second.misses;
    cells->deal(it->second.executions, end_in_cells(), accesses);
    cells->deal(it->second.misses, end_in_cells(), misses);
  }
  for (double& part : accesses) part *= known.executions > 0 ? all.executions / known.executions : 0;
  for (double& part : misses) part *= known.misses > 0 ? all.misses / known.misses : 0;
  Timeline row{0, rounded(accesses), rounded(misses), {}};
  if (memory) row.live = memory->parts<k_slices>(end_);
  profile.timeline.push_back(row);
  if (threads_.size() > 1) add_threads(row, sampled_ ? seen_one_in(sums) : 1, profile.timeline);
}

}  // namespace

std::unique_ptr<Module> make_timeline(const ProgramInfo& program) {
  return std::make_unique<TimelineModule>(program);
}

}  // namespace memprof::backend
