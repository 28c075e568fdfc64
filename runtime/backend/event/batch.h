// batch.h - what profiling modules are given: decoded events, some thousands at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Vocabulary:
//
//   event    an access, a birth, an iteration of a loop ... (EventKind, descriptor.h)
//   block    one event that represents those of a block record (block.h)
//   range    one event that represents affine accesses of a loop (range.h)
//   column   the accesses of one site, listed a second time (column.h)
//   time     the number of accesses before this one, in all threads
//
// The decoder puts events into the order in which they happened and hands the same batch to every
// module; none may change it. A module reads either view:
//
//     events    load 7 A   store 3 B   load 7 C   range {load 7 x 100}
//     columns   7: A, C, range         3: B
//
// for_each (batch, fn) calls FN for each event and expands blocks and ranges: it defines what they
// mean, and a module that treats them in closed form must give the same rows. Columns are for
// modules whose state belongs to sites: that state then stays in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/backend/event/block.h"
#include "runtime/backend/event/column.h"
#include "runtime/backend/event/descriptor.h"
#include "runtime/backend/event/range.h"
#include "runtime/backend/event/window_use.h"

namespace memprof::backend {

// The time of an access is Batch::time plus the accesses before it in the batch. Its thread is the
// one that the last `thread' event named; a batch continues with the thread of the batch before,
// and the first begins with thread 0.
struct Event {
  std::uint64_t address;
  union {
    SiteId site;
    std::uint32_t index;
  };
  std::uint32_t short_width : 24;  // bytes; k_long_width: see Batch::width
  EventKind kind : 8;
};
static_assert(sizeof(Event) == 16);

inline constexpr std::uint32_t k_long_width = 0xffffff;

// An allocator with which resize() leaves new elements unwritten: the decoder fills them in place.
template <typename T>
struct Unwritten : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = Unwritten<U>;
  };
  template <typename U>
  void construct(U*) {}
  template <typename U, typename... Args>
  void construct(U* p, Args&&... args) {
    std::construct_at(p, std::forward<Args>(args)...);
  }
};

struct Batch {
  std::vector<Event, Unwritten<Event>> events;
  std::vector<std::uint64_t, Unwritten<std::uint64_t>> words;  // of the blocks
  std::vector<Range> ranges;
  std::vector<RangeAccess> accesses;
  std::uint64_t time = 0;  // accesses before the first one of the batch
  std::uint64_t end = 0;   // ... and before the first one of the next
  std::vector<Column> columns;  // one per site that has executions
  std::vector<Target> targets;
  std::vector<std::uint32_t> ended_threads;  // their numbers are not used again
  std::vector<std::uint32_t> gaps;           // threads that have a gap after this batch
  // Sample mode: an access of a loop or a long call between bursts. One in TIMES is reported;
  // TIMES is 0 for the first ones of the loop, which represent themselves. CLOCK: the number of
  // places passed before it.
  struct LoopSample {
    RangeAccess access;
    std::uint64_t times, clock;
    std::uint32_t thread = 0;
  };
  std::vector<LoopSample> loop_samples;
  // A store of an early burst, which represents ONE_IN stores.
  struct Early {
    RangeAccess access;
    std::uint64_t one_in, clock;
  };
  std::vector<Early> early;
  std::vector<WindowUse> window_uses;  // sample mode
  std::uint64_t clock = 0;  // at the begin of the burst that this batch belongs to
  std::uint64_t times = 1;  // sample mode: executions per execution in a burst
  std::uint64_t threads = 0;  // that have begun before the end of the batch
  // Widths of at least k_long_width: number of the event, width.
  std::vector<std::pair<std::size_t, std::uint64_t>> long_widths;

  // EVENT is an element of `events', or for_each made it.
  std::uint64_t width(const Event& event) const {
    if (event.short_width != k_long_width) [[likely]] return event.short_width;
    const auto number = static_cast<std::size_t>(&event - events.data());
    for (const auto& [event_number, width] : long_widths)
      if (event_number == number) return width;
    return k_long_width;
  }
  // short_width of an event of WIDTH bytes, and the note that it needs if it is long.
  static std::uint32_t short_width(std::uint64_t width) {
    return width < k_long_width ? static_cast<std::uint32_t>(width) : k_long_width;
  }
  void note_width(std::size_t number, std::uint64_t width) {
    if (width >= k_long_width) [[unlikely]] long_widths.emplace_back(number, width);
  }
  GroupId group_of(const Item& item) const {
    return (item.target & k_range_item) != 0 ? accesses[item.target - k_range_item].group
                                             : targets[item.target].group;
  }
  // How many blocks an item represents: more than 1 in a series of blocks.
  std::uint64_t blocks_of(const Item& item) const {
    if ((item.target & k_range_item) == 0) return 1;
    const RangeAccess& a = accesses[item.target - k_range_item];
    return ranges[a.range].per_iteration != 0 ? a.count : 1;
  }
  std::uint32_t thread_of(const Item& item) const {
    return (item.target & k_range_item) != 0
               ? ranges[accesses[item.target - k_range_item].range].thread
               : targets[item.target].thread;
  }
  std::span<const RangeAccess> accesses_of(const Range& range) const {
    return {accesses.data() + range.first, range.size};
  }
  Block block_of(const Event& event) const {
    return {*reinterpret_cast<const CompiledDesc*>(event.address), &words[event.index]};
  }
  // The end of the consecutive blocks from event number FIRST on that have one descriptor. A module
  // may go through them entry by entry (BlockSeries).
  std::size_t end_of_blocks(std::size_t first) const {
    const std::uint64_t desc = events[first].address;
    std::size_t next = first + 1;
    if (block_of(events[first]).desc.repeated_site) return next;
    while (next < events.size() && events[next].kind == EventKind::block &&
           events[next].address == desc)
      next++;
    return next;
  }
  // Calls fn(const Column&) for all columns. They were written some batches ago and are no longer
  // in the cache: the first two chunks of the next columns are prefetched, and ahead(site) lets the
  // caller prefetch its own state for the site of a column to come.
  template <typename Fn, typename Ahead>
  void for_columns(Fn&& fn, Ahead&& ahead) const {
    const std::size_t n = columns.size();
    for (std::size_t i = 0; i < n; i++) {
      if (i + 2 < n) {
        const Column& next = columns[i + 2];
        next.first->prefetch();
        ahead(next.site);
      }
      if (i + 1 < n && columns[i + 1].size > Chunk::k_size) columns[i + 1].first->next->prefetch();
      fn(columns[i]);
    }
  }
  // Calls fn(items, n, mixed) for the n items of each chunk; they have one target unless MIXED.
  template <typename Fn>
  static void for_chunks(const Column& column, Fn&& fn) {
    std::uint32_t left = column.size;
    const Chunk* chunk = column.first;
    while (left > Chunk::k_size) {
      left -= Chunk::k_size;
      const Chunk* const next = chunk->next;
      if (left > Chunk::k_size) next->next->prefetch();
      fn(chunk->items, Chunk::k_size, chunk->mixed);
      chunk = next;
    }
    if (left != 0) fn(chunk->items, left, chunk->mixed);
  }
  // Calls fn(const Item&) for the items of a column.
  template <typename Fn>
  static void for_items(const Column& column, Fn&& fn) {
    for_chunks(column, [&](const Item* items, std::uint32_t n, bool) {
      for (std::uint32_t i = 0; i < n; i++) fn(items[i]);
    });
  }
  // How many of the first of N items (at least one) have the target of the first.
  static std::uint32_t same_target(const Item* items, std::uint32_t n) {
    std::uint32_t same = 1;
    while (same < n && items[same].target == items->target) same++;
    return same;
  }
  Chunk* new_chunk() {
    if (chunks_used_ == chunks_.size()) chunks_.emplace_back(new Chunk);
    return chunks_[chunks_used_++].get();
  }
  void clear() {
    events.clear();
    words.clear();
    ranges.clear();
    accesses.clear();
    columns.clear();
    targets.clear();
    ended_threads.clear();
    gaps.clear();
    loop_samples.clear();
    early.clear();
    window_uses.clear();
    times = 1;
    long_widths.clear();
    chunks_used_ = 0;
  }

 private:
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t chunks_used_ = 0;
};

// Calls fn(const Event&) for every event that a block or a range represents.
template <typename Fn>
void for_each(const Batch& batch, const Event& event, Fn&& fn) {
  const auto say = [&fn](std::uint64_t address, std::uint32_t index, std::uint64_t width,
                         EventKind kind) {
    fn(Event{address, {index}, Batch::short_width(width), kind});
  };
  if (event.kind == EventKind::block) {
    const Block block = batch.block_of(event);
    if (block.desc.iteration) say(0, block.desc.loop, 0, EventKind::loop_iteration);
    const ValueEntry* v = block.values().data();
    const ValueEntry* const end = v + block.values().size();
    for (const BlockEntry& e : block.entries()) {
      if (e.loop_event())
        say(e.frame(block.words), e.site, 0, e.kind);
      else
        say(block.address(e), e.site, e.width, e.kind);
      if (v < end && &e - block.entries().data() == v->entry) {
        say(block.value(*v), v->site, v->width, EventKind::value);
        v++;
      }
    }
    return;
  }
  const Range& range = batch.ranges[event.index];
  if (range.whole_outer()) say(0, range.outer, 0, EventKind::loop_enter);
  for (std::uint64_t row = 0; row < range.rows; row++) {
    if (range.outer != 0) say(0, range.outer, 0, EventKind::loop_iteration);
    say(0, range.loop, 0, EventKind::loop_enter);
    for (std::uint64_t k = 0; k < range.count; k++) {
      say(0, range.loop, 0, EventKind::loop_iteration);
      for (const RangeAccess& a : batch.accesses_of(range))
        if (k < a.count)
          say(a.address + row * static_cast<std::uint64_t>(a.row_step) +
                  k * static_cast<std::uint64_t>(a.step),
              a.site, a.width, a.store ? EventKind::store : EventKind::load);
    }
    say(0, range.loop, 0, EventKind::loop_exit);
  }
  if (range.whole_outer()) say(0, range.outer, 0, EventKind::loop_exit);
}

// Calls fn(const Event&, width) for every event of the batch; what a block or a
// range represents is expanded.
template <typename Fn>
void for_each(const Batch& batch, Fn&& fn) {
  for (const Event& e : batch.events)
    if (e.kind == EventKind::block || e.kind == EventKind::range)
      for_each(batch, e, [&fn](const Event& x) { fn(x, std::uint64_t{x.short_width}); });
    else
      fn(e, batch.width(e));
}

}  // namespace memprof::backend
