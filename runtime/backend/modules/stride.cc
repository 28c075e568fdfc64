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
#include "runtime/backend/modules/stride.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "feedback/derive.h"
#include "runtime/backend/fault.h"

namespace memprof::backend {
namespace {

constexpr std::size_t k_max_distinct = 4096;  // exact strides of a site
constexpr std::size_t k_shown = 8;            // of them in the profile
constexpr std::size_t k_parallel = 50'000;    // strides; fewer are not worth TBB's start

// What comes out of a table.
struct StrideEntry {
  std::int64_t stride;
  std::uint64_t count;
  std::uint64_t within;  // of them inside one object
};

// Counts of one site: an open hash table of (stride, whether inside one object).
//
// Slots take 8 bytes, because the tables of a few irregular sites must share the
// cache: a key of 32 bits and a count of 32.  Larger strides and counts that
// overflow are few, and lie in a map.
class Histogram {
 public:
  std::uint64_t repeats = 0, other = 0, other_within = 0;

  // Adds `count' executions in a row; `within' of them inside one object. So many times.
  void add(std::int64_t stride, std::uint64_t count, std::uint64_t within,
           std::uint64_t times = 1) {
    if (count == 1 && times == 1) {
      add_one(stride, within != 0);
      return;
    }
    repeats += (count - 1) * times;
    count *= times;
    within *= times;
    if (surely_absent(stride)) {
      add_other(count, within);
      return;
    }
    if (within != 0 && !add_key(stride, 1, within)) add_other(within, within);
    if (count != within && !add_key(stride, 0, count - within)) add_other(count - within, 0);
  }
  [[gnu::always_inline]] void add_one(std::int64_t stride, bool within) {
    if (surely_absent(stride))
      add_other(1, within);
    else if (!add_known(stride, within))
      add_one_slowly(stride, within);
  }
  // COUNT executions in a row, or none; mostly one.
  [[gnu::always_inline]] void add_run(std::int64_t stride, std::uint64_t count,
                                      std::uint64_t within) {
    if (count == 1)
      add_one(stride, within != 0);
    else if (count != 0)
      add(stride, count, within);
  }
  bool empty() const { return used_ == 0; }
  std::size_t distinct() const { return used_; }
  // Before anything is added; repeatedly does no harm.
  void open() {
    if (slots_.empty()) slots_.resize(std::size_t{1} << k_first_bits);
  }
  // The common case of add_one: the stride has a count, in its first place.
  bool add_known(std::int64_t stride, bool within) {
    const std::int32_t key = key_of(stride, within);
    Slot& place = slots_[first_place(key)];
    if (place.key != key || !small_p(stride) || place.count + 1 < 2) return false;
    place.count++;
    return true;
  }
  // Whether what strides look at is hardly in the cache.
  bool large() const { return slots_.size() >= k_large; }
  // Asks for what a stride looks at first.
  [[gnu::always_inline]] void prefetch(std::int64_t stride) const {
    if (!filter_.empty()) __builtin_prefetch(&filter_[filter_bit(stride) / 64]);
    __builtin_prefetch(&slots_[first_place(key_of(stride, false))]);
  }
  std::vector<StrideEntry> entries() const;  // in no order
  // With all counts times NUMERATOR / DENOMINATOR, rounded down.
  Histogram scaled(std::uint64_t numerator, std::uint64_t denominator) const;

 private:
  static constexpr std::size_t k_large = 4096;
  struct Slot {
    std::int32_t key;     // stride * 2 + within
    std::uint32_t count;  // 0: the slot is empty
  };
  static constexpr unsigned k_first_bits = 2;

  // Of small strides.
  static std::int32_t key_of(std::int64_t stride, bool within) {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(stride) * 2 + within);
  }
  static bool small_p(std::int64_t stride) { return stride == stride << 33 >> 33; }
  // The two keys of a stride begin in one place.
  std::size_t first_place(std::int32_t key) const {
    return static_cast<std::uint32_t>(key >> 1) * 0x9e3779b1u >> shift_;
  }
  // Of the key, or of the empty slot where it belongs.
  std::size_t place_of(std::int32_t key) const {
    std::size_t i = first_place(key);
    while (slots_[i].count != 0 && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  Slot& slot(std::int32_t key) { return slots_[place_of(key)]; }
  std::uint64_t count_of(std::int32_t key) const { return slots_[place_of(key)].count; }
  // False if the stride is not among the first ones.
  bool add_key(std::int64_t stride, bool within, std::uint64_t count) {
    if (!small_p(stride) || count >> 32 != 0) return add_large(stride, within, count);
    const std::int32_t key = key_of(stride, within);
    Slot& place = slot(key);
    if (place.count == 0) return add_new(stride, within, static_cast<std::uint32_t>(count));
    const std::uint32_t sum = place.count + static_cast<std::uint32_t>(count);
    if (sum < place.count) [[unlikely]]
      return add_large(stride, within, count);
    place.count = sum;
    return true;
  }
  [[gnu::noinline]] void add_one_slowly(std::int64_t stride, bool within) {
    if (!add_key(stride, within, 1)) add_other(1, within);
  }
  // Executions with strides that have no entry.
  void add_other(std::uint64_t count, std::uint64_t within) {
    other += count;
    other_within += within;
  }
  bool add_new(std::int64_t stride, bool within, std::uint32_t count);
  bool add_large(std::int64_t stride, bool within, std::uint64_t count);
  bool known(std::int64_t stride, bool within);
  bool take_place(std::int64_t stride, bool within);

  // A site whose strides are random soon has a full table and few strides that
  // are in it: 64 K bits tell most of the others without a look at the table,
  // which is eight times as large.
  bool surely_absent(std::int64_t stride) const {
    if (filter_.empty()) return false;
    const std::uint64_t bit = filter_bit(stride);
    return (filter_[bit / 64] >> bit % 64 & 1) == 0;
  }
  static std::uint64_t filter_bit(std::int64_t stride) {
    return static_cast<std::uint64_t>(stride) * 0x9e3779b97f4a7c15u >> 48;
  }

  std::vector<Slot> slots_;
  // By stride: executions, and those of them inside one object.
  std::unordered_map<std::int64_t, std::array<std::uint64_t, 2>> large_;
  std::vector<std::uint64_t> filter_;  // when there are k_max_distinct
  unsigned shift_ = 32 - k_first_bits;  // of a hash of 32 bits
  std::size_t slots_used_ = 0;
  std::size_t used_ = 0;  // distinct strides
};

// A stride has up to two slots, and counts in the map beside them: the slot of
// the executions across objects, else the other one, speaks for both.
std::vector<StrideEntry> Histogram::entries() const {
  std::vector<StrideEntry> all;
  all.reserve(slots_used_ + large_.size());
  for (const auto& [stride, counts] : large_) {
    const bool small = small_p(stride);
    const std::uint64_t across = counts[0] + (small ? count_of(key_of(stride, false)) : 0);
    const std::uint64_t within = counts[1] + (small ? count_of(key_of(stride, true)) : 0);
    all.push_back({stride, across + within, within});
  }
  for (const Slot& slot : slots_) {
    if (slot.count == 0) continue;
    const std::int64_t stride = slot.key >> 1;
    if (!large_.empty() && large_.contains(stride)) continue;
    const std::uint64_t twin = count_of(slot.key ^ 1);
    if ((slot.key & 1) == 0)
      all.push_back({stride, slot.count + twin, twin});
    else if (twin == 0)
      all.push_back({stride, slot.count, slot.count});
  }
  return all;
}

Histogram Histogram::scaled(std::uint64_t numerator, std::uint64_t denominator) const {
  Histogram result;
  result.open();
  const auto share = [&](std::uint64_t count) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(count) * numerator /
                                      denominator);
  };
  for (const StrideEntry& e : entries())
    if (share(e.count) != 0) result.add(e.stride, share(e.count), share(e.within));
  result.repeats = share(repeats);
  result.other = share(other);
  result.other_within = share(other_within);
  return result;
}

bool Histogram::known(std::int64_t stride, bool within) {
  if (large_.contains(stride)) return true;
  return small_p(stride) &&
         slot(key_of(stride, within)).count != 0;
}

// Whether a stride that has no count yet in its place may have one.
bool Histogram::take_place(std::int64_t stride, bool within) {
  if (known(stride, !within)) return true;
  if (used_ == k_max_distinct) return false;
  if (++used_ < k_max_distinct) return true;
  filter_.resize(1024);
  const auto note = [this](std::int64_t s) {
    filter_[filter_bit(s) / 64] |= std::uint64_t{1} << filter_bit(s) % 64;
  };
  note(stride);
  for (const StrideEntry& e : entries()) note(e.stride);
  return true;
}

bool Histogram::add_new(std::int64_t stride, bool within, std::uint32_t count) {
  if (!take_place(stride, within)) return false;
  if (++slots_used_ * 4 > slots_.size() * 3) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    shift_--;
    for (const Slot& s : old)
      if (s.count != 0) slot(s.key) = s;
  }
  const std::int32_t key = key_of(stride, within);
  slot(key) = {key, count};
  return true;
}

bool Histogram::add_large(std::int64_t stride, bool within, std::uint64_t count) {
  if (!known(stride, within) && !take_place(stride, within)) return false;
  large_[stride][within] += count;
  return true;
}

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
};

// What a thread executed last. A burst of sample mode executes few of all sites, and
// what it left is forgotten at the next one's begin: so they are listed.
struct ThreadSites {
  std::vector<LastAccess> last;  // by SiteId
  std::vector<SiteId> asked;     // for; those of others are as they began
  std::vector<bool> listed;      // in `asked', by SiteId
};

// Strides of a site within loops that have told of themselves, in bursts or not.
struct Told {
  Histogram histogram;
  std::uint64_t loops = 0, executions = 0;

  // One loop, which stands for TIMES such ones.
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
    if (site >= sites.last.size()) {
      sites.last.resize(site + site / 2 + 64);
      sites.listed.resize(sites.last.size());
    }
    if (!sites.listed[site]) {
      sites.listed[site] = true;
      sites.asked.push_back(site);
    }
    return sites.last[site];
  }
  Histogram& histogram_of(SiteId site) {
    if (site >= histograms_.size()) histograms_.resize(site + site / 2 + 64);
    histograms_[site].open();
    return histograms_[site];
  }
  void column(const Batch& batch, const Column& column);
  void part(const Convoy& convoy);
  void end_runs(ThreadSites& sites);

  const ProgramInfo& program_;
  std::vector<ThreadSites> threads_;
  std::vector<Histogram> histograms_;  // by SiteId
  std::map<SiteId, Told> told_;        // sample mode
  std::vector<feedback::Stride> rows_;  // at the end
};

void end_run(Histogram& histogram, LastAccess& last) {
  histogram.add_run(last.stride, last.run, last.run_within);
  last.run = 0;
}

// COUNT executions in a row with one stride.
void add(Histogram& histogram, LastAccess& last, std::int64_t stride, std::uint64_t count,
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
inline void access(Histogram& histogram, LastAccess& last, std::uint64_t address,
                   bool within) {
  const auto stride = static_cast<std::int64_t>(address - last.address);
  last.address = address;
  if (last.seen) [[likely]]
    add(histogram, last, stride, 1, within);
  last.seen = true;
}

// N executions of a site that has had some, all of them in the object of the last one or,
// unless WITHIN, in none.
void more_accesses(Histogram& histogram, LastAccess& last, const Item* items,
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
std::uint32_t scattered_accesses(Histogram& histogram, LastAccess& last, const Batch& batch,
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

// The sites of a large table see one stride after the other.
void prefetch(const Histogram& histogram, const Column& column) {
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

void row(Histogram& histogram, LastAccess& last, const RangeAccess& a) {
  access(histogram, last, a.address, change_object(last, a.group, a.object));
  if (a.count == 1) return;
  add(histogram, last, a.step, a.count - 1, a.group != 0 ? a.count - 1 : 0);
  last.address = a.address + (a.count - 1) * static_cast<std::uint64_t>(a.step);
}

// Rows are alike from the second on: each ends the run of steps of the one before, and has
// one stride that leads to it.
void range(Histogram& histogram, LastAccess& last, const RangeAccess& a) {
  const std::int64_t between =
      a.row_step - static_cast<std::int64_t>(a.count - 1) * a.step;
  const std::uint64_t singly = a.count < 3 || between == a.step ? a.rows : 2;
  std::uint64_t i = 0;
  for (; i < std::min(a.rows, singly); i++) row(histogram, last, a.row(i));
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
  Histogram& histogram = histogram_of(column.site);
  std::uint32_t target = k_no_target, thread = 0;
  LastAccess* kept = nullptr;
  LastAccess last;
  if (histogram.large()) prefetch(histogram, column);
  const auto change_thread = [&](std::uint32_t next) {
    if (kept && next == thread) return;
    if (kept) *kept = last;
    thread = next;
    kept = &last_of(thread, column.site);
    last = *kept;
  };
  // An execution whose target is not that of the last one; 0: it is, and nothing was done.
  const auto first_of = [&](const Item& item, const Target& t) {
    if (item.target == target) return 0;
    target = item.target;
    change_thread(t.thread);
    access(histogram, last, item.address, change_object(last, t.group, t.object));
    return 1;
  };
  Batch::for_chunks(column, [&](const Item* items, std::uint32_t n, bool mixed) {
    for (const Item* const end = items + n; items < end;) {
      const auto left = static_cast<std::uint32_t>(end - items);
      if ((items->target & k_range_item) != 0) {
        target = k_no_target;
        const RangeAccess& a = batch.accesses[items->target - k_range_item];
        change_thread(batch.ranges[a.range].thread);
        range(histogram, last, a);
        items++;
        continue;
      }
      const Target& t = batch.targets[items->target];
      if (mixed && kept && t.thread == thread && last.seen) {
        items += scattered_accesses(histogram, last, batch, thread, items, left);
        target = k_no_target;
        continue;
      }
      const int first = first_of(*items, t);
      items += first;
      if (mixed || items == end) continue;
      more_accesses(histogram, last, items, left - first, t.group != 0);
      items = end;
    }
  });
  if (kept) *kept = last;
}

// The followers have been where the leader was, at a constant distance.
void StrideModule::part(const Convoy& convoy) {
  for (const Convoy::Member& m : convoy.followers()) {
    histogram_of(m.site);
    histograms_[m.site] = histogram_of(convoy.leader());
    for (std::uint32_t thread = 0; thread < threads_.size(); thread++) {
      const LastAccess last = last_of(thread, convoy.leader());
      LastAccess& own = last_of(thread, m.site);
      own = last;
      own.address += m.offset;
    }
  }
}

void StrideModule::consume(const Batch& batch) {
  for (const Convoy* convoy : batch.dissolved) part(*convoy);
  for (const Column& c : batch.columns) column(batch, c);
  for (const Batch::Witness& w : batch.witnesses)
    if (w.times != 0) told_[w.access.site].add(w.access, w.times);
  for (const std::uint32_t thread : batch.ended_threads)
    if (thread < threads_.size()) {
      end_runs(threads_[thread]);
      threads_[thread] = {};
    }
  for (const std::uint32_t thread : batch.gaps)
    if (thread < threads_.size()) {
      ThreadSites& sites = threads_[thread];
      end_runs(sites);
      for (const SiteId site : sites.asked) {
        sites.last[site] = {};
        sites.listed[site] = false;
      }
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

feedback::Stride row_of(const Histogram& histogram) {
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
  for (const Convoy* convoy : program_.convoys()) part(*convoy);
  for (ThreadSites& sites : threads_) end_runs(sites);
  for (const auto& [site, told] : told_)
    if (told.enough())
      histogram_of(site) = told.histogram.scaled(program_.executions(site), told.executions);
  // Most sites of a large program were never executed.
  std::vector<SiteId> sites;
  std::size_t strides = 0;
  for (SiteId site = 1; site < histograms_.size(); site++)
    if (!histograms_[site].empty() && program_.site_id(site) != feedback::k_none) {
      sites.push_back(site);
      strides += histograms_[site].distinct();
    }
  rows_.resize(sites.size());
  const auto make_row = [&](std::size_t i) {
    feedback::Stride& row = rows_[i];
    row = row_of(histograms_[sites[i]]);
    row.site = program_.site_id(sites[i]);
    row.executions = program_.executions(sites[i]);
    feedback::derive(row);
  };
  if (strides < k_parallel)
    for (std::size_t i = 0; i < sites.size(); i++) make_row(i);
  else
    tbb::parallel_for(std::size_t{0}, sites.size(), make_row);
}

void StrideModule::finish(feedback::Profile& profile) { profile.strides = std::move(rows_); }

}  // namespace

std::unique_ptr<Module> make_stride(const ProgramInfo& program) {
  return std::make_unique<StrideModule>(program);
}

}  // namespace memprof::backend
