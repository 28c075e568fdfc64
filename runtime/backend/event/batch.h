// batch.h - what profiling modules are fed: spans of decoded events.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The decoder turns records into object-relative events, in the order in which
// they happened, and hands them to the modules in batches.  All modules see
// the same batch; none may change it.
//
// An access that a range record stands for is not expanded: the batch holds one
// Event of kind `range' that refers to a Range, which describes `count'
// iterations of a loop and a list of RangeAccess, each with its own first
// address, step and object.  A module may treat it in closed form or iterate,
// but the result must be exactly that of the expanded sequence:
//
//     enter loop
//     for k in 0 .. count-1:
//       start an iteration
//       for each access a in order, if k < a.count:
//         access at a.address + k * a.step
//     exit loop
//
// A loop around it may be in a Range, too, which has `rows' rows then: all of that loop, or, if
// it is `inside' of it, iterations that follow each other, without what is in parentheses.
//
//     (enter outer loop)
//     for r in 0 .. rows-1:
//       start an iteration
//       what is above, of accesses that begin at a.address + r * a.row_step
//     (exit outer loop)
//
// Nor are the accesses of a block record: one Event of kind `block' refers to
// its descriptor and its words. `for_each' expands both; it is the reference.
//
// The same executions are there a second time, site by site (Batch::columns), for
// modules whose state is kept per site: it stays in registers and the processor
// predicts well.
//
//     events    load 7 A   store 3 B   load 7 C   range {load 7 x 100}
//     columns   7: A, C, range         3: B
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/backend/event/descriptor.h"

namespace memprof::backend {

// One event.  An access happens at time Batch::time plus the number of accesses
// before it in the batch, and in the thread that the last `thread' event named
// (batches go on with the thread of their predecessor; the first is 0).
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

// What executions of a site have in common, as long as it does not change.
struct Target {
  std::uint64_t base;    // of the object: offset = address - base
  std::uint64_t width;   // bytes
  GroupId group;         // 0, and base 0: the address belongs to no live object
  std::uint32_t object;  // serial number in its group
  std::uint32_t thread;
  std::uint32_t object_bytes = 0;  // see Object::short_size
};

// An execution in a column, or a RangeAccess.
struct Item {
  std::uint64_t address;
  std::uint32_t time;    // accesses between the start of the batch and this one
  std::uint32_t target;  // index in Batch::targets, or k_range_item | number of
                         // the RangeAccess
};
inline constexpr std::uint32_t k_range_item = 0x80000000;

// Items are written to many columns in turn, so a column grows by chunks. What leads to the next
// one lies in front, where a reader looks first.
struct Chunk {
  static constexpr std::uint32_t k_size = 23;
  Chunk* next;
  bool mixed;  // not all items have the same target, as far as is known
  alignas(16) Item items[k_size];

  // Asks for its first lines; the processor goes on by itself.
  [[gnu::always_inline]] void prefetch() const {
    __builtin_prefetch(this);
    __builtin_prefetch(reinterpret_cast<const char*>(this) + 64);
  }
  // The one whose room ends at END.
  static Chunk& that_ends(Item* end) {
    return *reinterpret_cast<Chunk*>(reinterpret_cast<char*>(end) - sizeof(Chunk));
  }
};
static_assert(sizeof(Chunk) == 384);

// The executions of a site in a batch, in the order of time.
struct Column {
  SiteId site;
  std::uint32_t size;
  Chunk* first;
};

// How far a step goes, up or down.
inline std::uint64_t magnitude(std::int64_t v) {
  return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
}

struct RangeAccess {
  std::uint64_t address;  // of iteration 0
  std::int64_t step;      // bytes per iteration
  std::uint64_t count;    // executions: the range's count, or one less
  std::uint64_t base;     // of the object that holds all of it; 0: unknown
  std::uint64_t width;
  SiteId site;
  GroupId group;
  std::uint32_t object;
  bool store;
  std::uint32_t range = 0;  // index of its Range
  std::uint32_t before = 0;  // see Range::per_iteration
  std::uint64_t rows = 1;
  std::int64_t row_step = 0;  // bytes per row
  std::uint32_t object_bytes = 0;  // see Object::short_size

  std::uint64_t executions() const { return count * rows; }
  // Its executions, of which there are some, lie in the bytes [low, high).
  struct Extent {
    __int128 low, high;
  };
  Extent extent() const {
    Extent e{address, static_cast<__int128>(address) + width};
    for (const auto& [distance, n] : {std::pair(step, count), {row_step, rows}}) {
      const __int128 whole = static_cast<__int128>(distance) * (n - 1);
      (distance < 0 ? e.low : e.high) += whole;
    }
    return e;
  }
  // A single wide access as those of its words of so many bytes.
  RangeAccess in_words(std::uint64_t bytes) const {
    RangeAccess a = *this;
    a.count = width / bytes;
    a.width = bytes;
    a.step = static_cast<std::int64_t>(bytes);
    return a;
  }
  // What it is in iteration K, in all rows.
  RangeAccess column(std::uint64_t k) const {
    RangeAccess a = *this;
    a.address += k * static_cast<std::uint64_t>(step);
    a.count = rows;
    a.step = row_step;
    a.rows = 1;
    return a;
  }
  // What it is in a row, from 0.
  RangeAccess row(std::uint64_t number) const {
    RangeAccess a = *this;
    a.address += number * static_cast<std::uint64_t>(row_step);
    a.rows = 1;
    return a;
  }
};

// No site occurs twice in a range, and if it has several rows, all its accesses have the
// range's count.  All accesses of a RangeAccess lie in one
// object, or all in none, and none is as wide as k_long_width: the decoder
// expands other ones.
struct Range {
  std::uint64_t count;       // iterations
  std::uint64_t first_time;  // of the first access
  LoopId loop;
  std::uint32_t first;       // index of its first RangeAccess in Batch::accesses
  std::uint32_t size;        // number of RangeAccess
  std::uint32_t thread = 0;
  std::uint64_t rows = 1;
  LoopId outer = 0;  // an iteration of which each row is; 0: of none
  bool inside = false;  // of that loop, which goes on
  // Not 0: it is no event, but one access of a series of blocks that have so many, `before'
  // of them earlier. Only a column refers to it, and does not know whether it stores.
  std::uint32_t per_iteration = 0;

  // Whether it begins and ends the loop of which its rows are.
  bool whole_outer() const { return outer != 0 && !inside; }
  // Of several rows: when a row begins.
  std::uint64_t row_time(std::uint64_t row) const { return first_time + row * count * size; }
};

// resize() to a greater size leaves the new elements unwritten: the decoder
// fills them in place.
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

// A block record: an iteration of desc.loop if desc.iteration, then its entries,
// all of them loads, stores and births of locals of static width or loop events. Values of
// accesses are apart, so that modules that need none do not see them.
struct Block {
  const CompiledDesc& desc;
  const std::uint64_t* words;

  std::span<const BlockEntry> entries() const {
    return {desc.block_entries(), desc.entries};
  }
  std::uint64_t address(const BlockEntry& e) const { return words[e.word] + e.offset; }
  std::span<const ValueEntry> values() const { return {desc.value_entries(), desc.values}; }
  std::uint64_t value(const ValueEntry& v) const { return words[v.word] + v.offset; }
};

// Blocks of one descriptor that follow each other, whose words do, too.
struct BlockSeries {
  const CompiledDesc& desc;
  const std::uint64_t* words;
  std::size_t count;

  std::span<const BlockEntry> entries() const {
    return {desc.block_entries(), desc.entries};
  }
  // By how much entry E moves from each to the next, if always by as much.
  std::optional<std::uint64_t> step(const BlockEntry& e) const {
    const std::uint64_t* word = words + e.word;
    const std::uint64_t step = count > 1 ? word[desc.words] - *word : 0;
    for (std::size_t i = 1; i < count; i++, word += desc.words)
      if (word[desc.words] - *word != step) return std::nullopt;
    return step;
  }
  // Calls fn(address) for entry E of each.
  template <typename Fn>
  void for_each(const BlockEntry& e, Fn&& fn) const {
    const std::uint64_t* word = words + e.word;
    for (std::size_t i = 0; i < count; i++, word += desc.words) fn(*word + e.offset);
  }
};

struct Batch {
  std::vector<Event, Unwritten<Event>> events;
  std::vector<std::uint64_t, Unwritten<std::uint64_t>> words;  // of blocks
  std::vector<Range> ranges;
  std::vector<RangeAccess> accesses;
  std::uint64_t time = 0;  // accesses before the first one of the batch
  std::uint64_t end = 0;   // ... and before the first one of the next
  std::vector<Column> columns;  // one per site that has executions
  std::vector<Target> targets;
  std::vector<std::uint32_t> ended_threads;  // their numbers do not come again
  std::vector<std::uint32_t> gaps;           // threads that have one behind this batch
  // Sample mode: accesses of a loop or a long call between bursts, of which one in TIMES is
  // reported (0: it is one of the first of its loop). CLOCK: places that had been passed then.
  struct LoopSample {
    RangeAccess access;
    std::uint64_t times, clock;
  };
  std::vector<LoopSample> loop_samples;
  // Stores of early bursts: each is one of so many.
  struct Early {
    RangeAccess access;
    std::uint64_t one_in, clock;
  };
  std::vector<Early> early;
  std::uint64_t clock = 0;  // when the burst was begun that the batch is of
  std::uint64_t times = 1;  // with gaps: how often what bursts saw has happened
  // Widths of at least k_long_width: of event number `first'.
  std::vector<std::pair<std::size_t, std::uint64_t>> long_widths;

  // Of an event of this batch, or of one that for_each made.
  std::uint64_t width(const Event& event) const {
    if (event.short_width != k_long_width) [[likely]] return event.short_width;
    const auto number = static_cast<std::size_t>(&event - events.data());
    for (const auto& [event_number, width] : long_widths)
      if (event_number == number) return width;
    return k_long_width;
  }
  // What the last event needs if it is so wide.
  static std::uint32_t short_width(std::uint64_t width) {
    return width < k_long_width ? static_cast<std::uint32_t>(width) : k_long_width;
  }
  void note_width(std::size_t number, std::uint64_t width) {
    if (width >= k_long_width) [[unlikely]] long_widths.emplace_back(number, width);
  }
  // Of an item.
  GroupId group_of(const Item& item) const {
    return (item.target & k_range_item) != 0 ? accesses[item.target - k_range_item].group
                                             : targets[item.target].group;
  }
  // How many blocks of a series it stands for; 1 if that is no series.
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
  // Records of a loop often follow each other: the end of the blocks from number FIRST
  // on whose records are of one descriptor, so that one can go entry by entry.
  std::size_t end_of_blocks(std::size_t first) const {
    const std::uint64_t desc = events[first].address;
    std::size_t next = first + 1;
    if (block_of(events[first]).desc.repeated_site) return next;
    while (next < events.size() && events[next].kind == EventKind::block &&
           events[next].address == desc)
      next++;
    return next;
  }
  // Calls fn(const Column&) for all columns. The decoder has written them some batches ago, so
  // the first two chunks of those to come are asked for, as are the others of one (for_chunks),
  // and by ahead(site) what the caller keeps of their sites.
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
  // Calls fn(items, n, mixed) for stretches of n items, which have one target unless MIXED.
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
  // How many of N items, of which there are some, have the target of the first one.
  static std::uint32_t same_target(const Item* items, std::uint32_t n) {
    std::uint32_t same = 1;
    while (same < n && items[same].target == items->target) same++;
    return same;
  }
  // Calls fn(items, n) for stretches of n items of one target.
  template <typename Fn>
  static void for_runs(const Column& column, Fn&& fn) {
    for_chunks(column, [&](const Item* items, std::uint32_t n, bool mixed) {
      // One call, so that it is inlined.
      for (std::uint32_t i = 0, run; i < n; i += run) {
        run = mixed ? same_target(items + i, n - i) : n;
        fn(items + i, run);
      }
    });
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
    times = 1;
    long_widths.clear();
    chunks_used_ = 0;
  }

 private:
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t chunks_used_ = 0;
};

// Time of access number `i' of the range in iteration k.  Accesses with a
// smaller count are missing only from the last iteration.
inline std::uint64_t range_time(const Range& range,
                                std::span<const RangeAccess> accesses,
                                std::size_t i, std::uint64_t k) {
  std::uint64_t before = 0;
  for (std::size_t j = 0; j < i; j++) before += k < accesses[j].count;
  return range.first_time + k * accesses.size() + before;
}

// Calls fn(const Event&) for every event that a block or a range stands for.
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
// range stands for is expanded.
template <typename Fn>
void for_each(const Batch& batch, Fn&& fn) {
  for (const Event& e : batch.events)
    if (e.kind == EventKind::block || e.kind == EventKind::range)
      for_each(batch, e, [&fn](const Event& x) { fn(x, std::uint64_t{x.short_width}); });
    else
      fn(e, batch.width(e));
}

}  // namespace memprof::backend
