// sampled_accesses.h - the few accesses of a program that a model of its caches looks at.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A model that sees every access takes longer than all else. So it looks at
//
//   * one stretch of memory in `sample'. Of each such number of stretches that are used for
//     the first time, one is chosen by a hash, and the model has as many fewer sets. The rest
//     costs one look at a table. Stretches get numbers in the order of their first use, so that
//     the same run gives the same results wherever its memory was;
//   * one window of 256 K accesses in `window'. What the model holds stays until the next one.
//
// What happens in stretches and windows that are looked at represents all: results are per
// execution that was looked at, times the executions of the site (scaled).
//
//   * An access uses the line of its first byte; a wider one than a line (a
//     copy) uses each of its lines once.
//   * Of an access in a range, executions in a row on one line are one use, unless the
//     range is so short that its iterations are written out (iteration_blocks.h).
//   * The stack is not looked at: where it lies in a page differs between runs, and its pages
//     hardly ever miss.
//
// A model derives from SampledAccesses<Model, Site, Core, UNIT_BITS>:
//
//   Site       what it keeps of a site; derived from SampledSite
//   Core       what it keeps of a thread, std::unique_ptr<Core> make_core()
//   UNIT_BITS  a stretch has 2^UNIT_BITS bytes, at least a page
//   k_most_lines    its line numbers are less
//   translated(address)   where the table of stretches has it: moved by whole pages
//   bool meets(address, kind)   of memory of KIND there may be a page that the table does not
//                             have yet; whether translated() has changed for it
//   void new_unit(unit)                       stretch number UNIT is used for the first time
//   void looked_at(Site&, n, store, place)    N executions were looked at; place() is the object
//   void use(Site&, unit, address, store, place)   ... and use a line
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/backend/base/page_steps.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/base/sparse_table.h"
#include "runtime/backend/event/iteration_blocks.h"
#include "runtime/backend/event/module.h"

namespace memprof::backend {

inline constexpr std::uint64_t k_model_page = 4096;

struct SampledSite {
  std::uint64_t looked_at = 0;  // executions, or lines of wide ones
  // Of wide executions, in all memory: how many lines they have.
  std::uint64_t wide = 0, wide_lines = 0;
};

// COUNT of LOOKED_AT executions, for ALL of them.
inline std::uint64_t scaled(std::uint64_t count, std::uint64_t all, std::uint64_t looked_at) {
  if (looked_at == 0) return 0;
  const auto product = static_cast<unsigned __int128>(count) * all + looked_at / 2;
  return static_cast<std::uint64_t>(product / looked_at);
}
// How often a site that was executed EXECUTIONS times would have been looked at: its
// executions, or the lines of wide ones.
inline std::uint64_t all_uses(const SampledSite& site, std::uint64_t executions) {
  return site.wide != 0 ? scaled(site.wide_lines, executions, site.wide) : executions;
}

// What an access belongs to.
struct AccessPlace {
  GroupId group = 0;
  std::uint32_t object = 0;  // serial number
  std::uint32_t object_bytes = 0;
};

template <class Model, class Site, class Core, int UNIT_BITS>
class SampledAccesses : public Module {
 public:
  void consume(const Batch& batch) final {
    clock_ = batch.clock;
    if (outside(batch))
      thread_known_ = false;
    else
      look_at(batch);
    for (const std::uint32_t thread : batch.ended_threads)
      if (thread < cores_.size()) cores_[thread].reset();
  }

 protected:
  static constexpr std::uint64_t k_window = std::uint64_t{1} << 18;  // accesses

  SampledAccesses(const ProgramInfo& program, std::uint32_t line, std::uint32_t sample,
                  std::uint32_t window)
      : program_(program), line_(line), sample_(sample), windows_(window) {
    while (1u << line_bits_ < line) line_bits_++;
  }

  Core& core() {
    if (thread_ >= cores_.size()) cores_.resize(thread_ + 1);
    if (!cores_[thread_]) cores_[thread_] = model().make_core();
    return *cores_[thread_];
  }
  std::uint32_t thread() const { return thread_; }
  // About when the access at hand happened: the range of which it is has begun.
  std::uint64_t now() const { return now_; }
  // Of sample mode, when its burst began: places passed where one could.
  std::uint64_t clock() const { return clock_; }
  // The number of its line, not 0, for a stretch that is looked at. ADDRESS is a translated one.
  std::uint32_t line_of(std::uint32_t unit, std::uint64_t address) const {
    const auto in_unit = static_cast<std::uint32_t>(address & (k_unit - 1));
    return unit << (UNIT_BITS - line_bits_) | in_unit >> line_bits_;
  }

  const ProgramInfo& program_;
  PerSite<Site> sites_;

 private:
  static constexpr std::uint64_t k_unit = std::uint64_t{1} << UNIT_BITS;
  static_assert(k_unit >= k_model_page && k_model_page <= k_steps_limit);
  static constexpr std::uint64_t k_user_mask = (std::uint64_t{1} << k_address_bits) - 1;
  // What the table of stretches says.
  static constexpr std::uint32_t k_unseen = 0, k_not_looked_at = 1, k_first_unit = 2;

  Model& model() { return static_cast<Model&>(*this); }
  // What the table says about an address. The mask is for corrupt streams; such accesses have
  // no width.
  std::uint32_t unit_at(std::uint64_t address) const {
    return units_.get(static_cast<const Model&>(*this).translated(address) & k_user_mask);
  }
  bool in_window(std::uint64_t time) const { return time / k_window % windows_ == 0; }
  // Whether no access of the batch is in a window.
  bool outside(const Batch& batch) const {
    return !in_window(batch.time) && !in_window(batch.end) && batch.end - batch.time < k_window;
  }

  struct Access {
    std::uint64_t address, width;
    std::uint32_t accesses;  // before it, without those of ranges
    std::uint32_t index;     // its site, range or thread
    EventKind kind;
  };
  // Of an access of a range in a row.
  struct Turn {
    const RangeAccess* access;
    Site* site;
    std::uint64_t start;  // address of the first execution
    std::uint64_t k = 0;  // the next one
    std::uint32_t reciprocal;  // of the step

    Turn(const RangeAccess& a, Site& state, std::uint64_t address)
        : access(&a), site(&state), start(address), reciprocal(reciprocal_of(magnitude(a.step))) {}
    // How many there are up to BYTES after the next one, in its page.
    std::uint64_t executions(std::uint64_t bytes) const {
      return reciprocal == 0 ? ~std::uint64_t{0} : steps_in(bytes, reciprocal) + std::uint64_t{1};
    }
  };

  void look_at(const Batch& batch);
  void select(const Batch& batch);
  void look_at_range(const Batch& batch, const Range& r, std::uint64_t time);
  void access(SiteId site, std::uint64_t address, std::uint64_t width, bool store, auto place);
  void narrow(SiteId site, std::uint64_t address, bool store, auto place);
  void wide(SiteId site, std::uint64_t address, std::uint64_t width, bool store, auto place);
  void range(const Batch& batch, const Range& range, std::uint64_t row);
  bool passed_over(const RangeAccess& a) const;
  void short_row(const Batch& batch, const Range& range, std::uint64_t row, std::uint64_t time);
  std::uint32_t unit_of(std::uint64_t address, auto place);
  const Item& item_of(const Batch& batch, SiteId site, std::uint64_t time);
  AccessPlace place_of(const Batch& batch, SiteId site, std::uint64_t time) {
    const Item& item = item_of(batch, site, time);
    if ((item.target & k_range_item) != 0)
      return place_of(batch.accesses[item.target - k_range_item]);
    const Target& t = batch.targets[item.target];
    return {t.group, t.object, t.object_bytes};
  }
  static AccessPlace place_of(const RangeAccess& a) { return {a.group, a.object, a.object_bytes}; }

  const std::uint32_t line_, sample_, windows_;
  unsigned line_bits_ = 0;
  std::uint64_t clock_ = 0;
  std::uint64_t now_ = 0;  // time of an access in the window at hand
  std::vector<std::unique_ptr<Core>> cores_;  // by thread
  std::uint32_t thread_ = 0;
  bool thread_known_ = true;  // not after batches that were not read
  SparseTable<std::uint32_t, UNIT_BITS> units_;
  std::uint64_t units_seen_ = 0;
  std::uint32_t next_unit_ = k_first_unit;
  std::vector<Access> selected_;
  std::vector<Turn> turns_;
  // Of the batch, by site: where its column goes on.
  struct Cursor {
    const Chunk* chunk;
    std::uint32_t left;
  };
  const Batch* columns_of_ = nullptr;
  PerSite<Cursor> columns_;
};

// Notes the accesses to stretches that are looked at, or were never seen, the wide
// ones, and the ranges and threads.
template <class Model, class Site, class Core, int BITS>
void SampledAccesses<Model, Site, Core, BITS>::select(const Batch& batch) {
  selected_.clear();
  std::uint32_t time = 0;
  const auto event = [&](const Event& e, std::uint64_t width) {
    const bool access = e.kind <= EventKind::store;
    if ((access && (width > line_ || unit_at(e.address) != k_not_looked_at)) ||
        e.kind == EventKind::range || e.kind == EventKind::thread)
      selected_.push_back({e.address, width, time, e.index, e.kind});
    time += access;
  };
  for (const Event& e : batch.events)
    if (e.kind == EventKind::block)
      for_each(batch, e, [&](const Event& x) { event(x, x.short_width); });
    else
      event(e, batch.width(e));
}

template <class Model, class Site, class Core, int BITS>
void SampledAccesses<Model, Site, Core, BITS>::look_at(const Batch& batch) {
  select(batch);
  columns_of_ = nullptr;
  std::uint64_t start = batch.time;  // and the accesses of ranges so far
  for (const Access& a : selected_) {
    const std::uint64_t time = start + a.accesses;
    if (a.kind == EventKind::thread) {
      thread_ = a.index;
      thread_known_ = true;
    } else if (a.kind == EventKind::range) {
      const Range& r = batch.ranges[a.index];
      look_at_range(batch, r, time);
      for (const RangeAccess& x : batch.accesses_of(r)) start += x.executions();
    } else if (in_window(time) && a.width != 0) {
      if (!thread_known_) {
        thread_ = batch.thread_of(item_of(batch, a.index, time));
        thread_known_ = true;
      }
      now_ = time;
      access(a.index, a.address, a.width, a.kind == EventKind::store,
             [&] { return place_of(batch, a.index, time); });
    }
  }
}

template <class Model, class Site, class Core, int BITS>
void SampledAccesses<Model, Site, Core, BITS>::look_at_range(const Batch& batch, const Range& r,
                                                             std::uint64_t time) {
  thread_ = r.thread;
  thread_known_ = true;
  const bool short_rows = r.rows > 1 && r.count <= IterationBlocks::k_max_iterations;
  for (std::uint64_t row = 0; row < r.rows; row++) {
    const std::uint64_t row_time = time + (r.row_time(row) - r.first_time);
    now_ = row_time;
    if (short_rows)
      short_row(batch, r, row, row_time);
    else if (in_window(row_time))
      range(batch, r, row);
  }
}

// What SITE accessed at TIME, which is not before that of the last question.
template <class Model, class Site, class Core, int BITS>
const Item& SampledAccesses<Model, Site, Core, BITS>::item_of(const Batch& batch, SiteId site,
                                                              std::uint64_t time) {
  if (columns_of_ != &batch) {
    columns_of_ = &batch;
    for (const Column& c : batch.columns) columns_[c.site] = {c.first, c.size};
  }
  auto& [chunk, left] = columns_[site];
  const auto wanted = static_cast<std::uint32_t>(time - batch.time);
  while (left > Chunk::k_size && chunk->next->items[0].time <= wanted) {
    left -= Chunk::k_size;
    chunk = chunk->next;
  }
  const std::uint32_t n = std::min(left, Chunk::k_size);
  std::uint32_t i = 0;
  while (i + 1 < n && chunk->items[i + 1].time <= wanted) i++;
  return chunk->items[i];
}

// What the table says about the stretch of ADDRESS; decides about a new one.
template <class Model, class Site, class Core, int BITS>
std::uint32_t SampledAccesses<Model, Site, Core, BITS>::unit_of(std::uint64_t address,
                                                                auto place) {
  if (const std::uint32_t known = unit_at(address); known != k_unseen) return known;
  const feedback::GroupKind kind = program_.group_kind(place().group);
  if (model().meets(address, kind))
    if (const std::uint32_t known = unit_at(address); known != k_unseen) return known;
  std::uint32_t& unit = units_.at(model().translated(address) & k_user_mask);
  unit = k_not_looked_at;
  if (kind == feedback::GroupKind::stack) return unit;
  const std::uint64_t number = units_seen_++;
  const std::uint64_t hash = (number / sample_ * 0x9e3779b97f4a7c15u) >> 40;
  if (number % sample_ == hash % sample_ &&
      next_unit_ < Model::k_most_lines >> (BITS - line_bits_)) {
    unit = next_unit_++;
    model().new_unit(unit);
  }
  return unit;
}

// WIDTH > 0.
template <class Model, class Site, class Core, int BITS>
void SampledAccesses<Model, Site, Core, BITS>::access(SiteId site, std::uint64_t address,
                                                      std::uint64_t width, bool store,
                                                      auto place) {
  if (width > line_)
    wide(site, address, width, store, place);
  else
    narrow(site, address, store, place);
}

template <class Model, class Site, class Core, int BITS>
void SampledAccesses<Model, Site, Core, BITS>::narrow(SiteId site, std::uint64_t address,
                                                      bool store, auto place) {
  const std::uint32_t unit = unit_of(address, place);
  if (unit < k_first_unit) return;
  Site& state = sites_[site];
  state.looked_at++;
  model().looked_at(state, 1, store, place);
  model().use(state, unit, address, store, place);
}

template <class Model, class Site, class Core, int BITS>
void SampledAccesses<Model, Site, Core, BITS>::wide(SiteId site, std::uint64_t address,
                                                    std::uint64_t width, bool store, auto place) {
  Site& state = sites_[site];
  const std::uint64_t end = address + width;
  const std::uint64_t first = address / line_ * line_;
  state.wide++;
  state.wide_lines += (end - first + line_ - 1) / line_;
  for (std::uint64_t a = first; a < end;) {
    const std::uint64_t next = (a / k_model_page + 1) * k_model_page;
    const std::uint32_t unit = unit_of(a, place);
    if (unit >= k_first_unit)
      for (std::uint64_t b = a; b < std::min(end, next); b += line_) {
        state.looked_at++;
        model().looked_at(state, 1, store, place);
        model().use(state, unit, b, store, place);
      }
    a = next;
  }
}

// Whether an access of a range, of one row, begins in few pages only, none of which is looked at.
template <class Model, class Site, class Core, int BITS>
bool SampledAccesses<Model, Site, Core, BITS>::passed_over(const RangeAccess& a) const {
  constexpr std::uint64_t k_few = 4;
  std::uint64_t first = a.address, last = a.column(a.count - 1).address;
  if (a.step < 0) std::swap(first, last);
  const std::uint64_t first_page = first / k_model_page, last_page = last / k_model_page;
  if (last_page - first_page >= k_few || last < first || last > k_user_mask) return false;
  for (std::uint64_t page = first_page; page <= last_page; page++)
    if (unit_at(page * k_model_page) != k_not_looked_at) return false;
  return true;
}

// The accesses of a range take turns, each by steps of the executions that stay
// on a line, or on a page that is not looked at.
template <class Model, class Site, class Core, int BITS>
void SampledAccesses<Model, Site, Core, BITS>::range(const Batch& batch, const Range& range,
                                                     std::uint64_t row) {
  turns_.clear();
  for (const RangeAccess& x : batch.accesses_of(range)) {
    const RangeAccess a = x.row(row);
    if (a.count != 0 && a.width != 0 && !passed_over(a))
      turns_.emplace_back(x, sites_[a.site], a.address);
  }
  while (!turns_.empty()) {
    auto turn = std::min_element(turns_.begin(), turns_.end(), [](const Turn& a, const Turn& b) {
      return a.k < b.k;
    });
    const RangeAccess& a = *turn->access;
    const auto place = [&] { return place_of(a); };
    const std::uint64_t address = turn->start + turn->k * static_cast<std::uint64_t>(a.step);
    const std::uint32_t unit = unit_of(address, place);
    // Both are powers of two.
    const std::uint64_t span = unit < k_first_unit ? k_model_page : line_;
    const std::uint64_t inside = address & (span - 1);
    const std::uint64_t n =
        std::min(a.count - turn->k, turn->executions(a.step < 0 ? inside : span - 1 - inside));
    if (unit >= k_first_unit) {
      turn->site->looked_at += n;
      model().looked_at(*turn->site, n, a.store, place);
      model().use(*turn->site, unit, address, a.store, place);
    }
    turn->k += n;
    if (turn->k >= a.count) turns_.erase(turn);
  }
}

// What would be blocks, were it not for other rows.
template <class Model, class Site, class Core, int BITS>
void SampledAccesses<Model, Site, Core, BITS>::short_row(const Batch& batch, const Range& range,
                                                         std::uint64_t row, std::uint64_t time) {
  const std::uint64_t last = time + range.count * range.size - 1;
  const bool begins = in_window(time), all = begins && time / k_window == last / k_window;
  if (!begins && !in_window(last)) return;
  for (std::uint64_t k = 0; k < range.count; k++)
    for (const RangeAccess& a : batch.accesses_of(range))
      if ((all || in_window(time++)) && a.width != 0)
        access(a.site, a.row(row).address + k * static_cast<std::uint64_t>(a.step), a.width,
               a.store, [&a] { return place_of(a); });
}

}  // namespace memprof::backend
