// column_writer.h - writes the columns of a batch.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An execution takes a few compares and one store of 16 bytes, as long as its
// site stays with its target: the object that it accesses, the width, the thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/backend/base/sparse_table.h"
#include "runtime/backend/event/batch.h"

namespace memprof::backend {

class Columns {
 public:
  // What is known about a site.
  struct State {
    // Accesses that begin in [base, base + size) have the target, and the site
    // has a column, while `epoch' lasts. Size 0: base is how often in a row its object was
    // found again.
    std::uint64_t base, size;
    Item* next;                // room for its next item
    Item* end;                 // ... of its chunk
    std::uint32_t epoch;
    std::uint32_t target;
    GroupId group;             // of the target
    std::uint32_t batch;       // number of the batch in which it has a column
    std::uint32_t target_batch;  // ... that has `target'
    std::uint32_t in_full_chunks;  // items of the column
    std::uint32_t credited;    // items of the column that its group knows of
    std::uint32_t covered;     // sites without records, for which this one speaks
  };
  static_assert(sizeof(State) == 64);

  Columns() : states_(std::size_t{k_max_sites} + 1) {}

  State& operator[](SiteId site) { return states_[site]; }
  const State& operator[](SiteId site) const { return states_[site]; }

  // Goes on with BATCH; if it is empty, all columns begin anew.
  void open(Batch& batch) {
    batch_ = &batch;
    if (batch.events.empty() && batch.columns.empty()) number_++;
  }
  // Brings the sizes of the columns up to date, and calls fn(Column&, State&) for
  // each.
  template <typename Fn>
  void finish(Batch& batch, Fn&& fn) {
    for (Column& column : batch.columns) {
      State& s = states_[column.site];
      column.size = items(s);
      fn(column, s);
    }
  }
  // In its column of this batch.
  std::uint32_t items(const State& s) const {
    return s.batch != number_ ? 0
                              : s.in_full_chunks + Chunk::k_size -
                                    static_cast<std::uint32_t>(s.end - s.next);
  }
  void begin(SiteId site, State& s) {
    if (s.batch != number_) more(site, s);
  }

  // The site has a column.
  [[gnu::always_inline]] void put(SiteId site, State& s, const Item& item) {
    if (s.next == s.end) [[unlikely]] more(site, s);
    write(s, item);
  }
  // The same, and there is room.
  [[gnu::always_inline]] static void write(State& s, const Item& item) { *s.next++ = item; }
  // The items fn(0) .. fn(n - 1).
  template <typename Fn>
  [[gnu::always_inline]] void put_many(SiteId site, State& s, std::size_t n, Fn&& fn) {
    for (std::size_t i = 0; i < n;) {
      if (s.next == s.end) [[unlikely]] more(site, s);
      Item* item = s.next;
      for (Item* const end = std::min(s.end, item + (n - i)); item < end; item++) *item = fn(i++);
      s.next = item;
    }
  }
  // A range.
  void put_range(SiteId site, State& s, const Item& item) {
    put(site, s, item);
    last_chunk(s).mixed = true;
  }
  // The target of the items that follow; the site has a column. True: it was that before.
  bool set_target(State& s, const Target& target) {
    s.group = target.group;
    if (s.target_batch == number_) {
      const Target& old = batch_->targets[s.target];
      if (old.base == target.base && old.object == target.object &&
          old.group == target.group && old.width == target.width &&
          old.thread == target.thread)
        return true;
    }
    change_target(s, static_cast<std::uint32_t>(batch_->targets.size()));
    batch_->targets.push_back(target);
    return false;
  }
  // The same; it is number TARGET of the batch, and of GROUP.
  bool share_target(State& s, GroupId group, std::uint32_t target) {
    s.group = group;
    if (s.target_batch == number_ && s.target == target) return true;
    change_target(s, target);
    return false;
  }

 private:
  static Chunk& last_chunk(State& s) {
    return Chunk::that_ends(s.end);
  }
  void change_target(State& s, std::uint32_t target) {
    if (s.next != last_chunk(s).items) last_chunk(s).mixed = true;
    s.target_batch = number_;
    s.target = target;
  }
  // A first chunk, or one more.
  [[gnu::noinline]] void more(SiteId site, State& s) {
    Chunk* chunk = batch_->new_chunk();
    if (s.batch != number_) {
      s.batch = number_;
      s.in_full_chunks = 0;
      s.credited = 0;
      batch_->columns.push_back({site, 0, chunk});
    } else {
      s.in_full_chunks += Chunk::k_size;
      // The chunk that is full ends where the items end.
      last_chunk(s).next = chunk;
    }
    chunk->mixed = false;
    s.next = chunk->items;
    s.end = chunk->items + Chunk::k_size;
  }

  SparseArray<State> states_;  // by SiteId
  Batch* batch_ = nullptr;
  std::uint32_t number_ = 0;
};

}  // namespace memprof::backend
