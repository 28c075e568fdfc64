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
// `for_each' expands a range; it is the reference.
//
// A module whose state is kept per site need not jump from state to state: the
// driver sorts the executions of a batch by site (sort_by_site.h), and
// Batch::slices lists, site by site, its executions in the order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace memprof::backend {

using SiteId = std::uint32_t;   // dense, 1.. ; 0 = no site
using LoopId = std::uint32_t;   // dense, 1.. ; 0 = the whole program
using GroupId = std::uint32_t;  // dense, 1.. ; 0 = UNKNOWN (no live object)

inline constexpr SiteId k_no_site = 0;
// Writer of memory written by code that is not instrumented.
inline constexpr SiteId k_external_site = 0xffffff;
inline constexpr SiteId k_max_sites = 0xfffffe;  // 24 bits in the shadow

enum class EventKind : std::uint8_t {
  load,
  store,
  external_store,   // address, width; no execution
  range,            // `index' into Batch::ranges
  loop_enter,       // index = LoopId; address = frame, or 0
  loop_iteration,   // index = LoopId; an execution of the loop header
  loop_exit,        // index = LoopId
  birth,            // address, width = bytes; group, object
  death,            // address, width = bytes; group, object
  local_birth,      // address, width: stack bytes without a writer
  thread_end,       // the thread's loop stack is gone
  loop_resume,      // index = LoopId or 0; address = frame: see record.h
  thread            // index = number of the thread of the events that follow
};

// One event, half a cache line.  For load and store: base = address of the
// object's first byte, so offset = address - base; base = 0 and group = 0 when
// the address belongs to no live object.
//
// What can be counted is left out: an access happens at time Batch::time plus
// the number of accesses before it in the batch, and in the thread that the last
// `thread' event named (thread 0 before the first one; batches go on with the
// thread of their predecessor).
struct Event {
  std::uint64_t address;
  std::uint64_t base;
  union {
    SiteId site;
    std::uint32_t index;
  };
  std::uint32_t object;  // serial number in its group
  std::uint32_t short_width;  // bytes; k_long_width: see Batch::width
  GroupId group : 24;
  EventKind kind : 8;
};
static_assert(sizeof(Event) == 32);

inline constexpr std::uint32_t k_long_width = 0xffffffff;

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
};

// No site occurs twice in a range. All accesses of a RangeAccess lie in one object, or all in none, and none is
// as wide as k_long_width: the decoder expands what does not.
struct Range {
  std::uint64_t count;       // iterations
  std::uint64_t first_time;  // of the first access
  LoopId loop;
  std::uint32_t first;       // index of its first RangeAccess in Batch::accesses
  std::uint32_t size;        // number of RangeAccess
  std::uint32_t event = 0;   // number of its Event in the batch
};

// The executions of a site in a batch: Batch::items [begin, end). An item is the
// number of an event, or k_range_item plus the number of a RangeAccess.
struct SiteSlice {
  SiteId site;
  std::uint32_t begin, end;
};
inline constexpr std::uint32_t k_range_item = 0x80000000;

// From event number `first' on, the events are of `thread'.
struct ThreadSpan {
  std::uint32_t first, thread;
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

struct Batch {
  std::vector<Event, Unwritten<Event>> events;
  std::vector<Range> ranges;
  std::vector<RangeAccess> accesses;
  std::uint64_t time = 0;  // accesses before the first one of the batch
  std::uint32_t thread = 0;  // of the first event
  // Made by sort_by_site():
  std::vector<std::uint32_t> items;
  std::vector<std::uint64_t> times;  // accesses before each item
  std::vector<SiteSlice> slices;
  std::vector<ThreadSpan> threads;
  std::vector<std::uint32_t> ended_threads;  // their numbers do not come again
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
  std::span<const RangeAccess> accesses_of(const Range& range) const {
    return {accesses.data() + range.first, range.size};
  }
  void clear() {
    events.clear();
    ranges.clear();
    accesses.clear();
    long_widths.clear();
    items.clear();
    times.clear();
    slices.clear();
    threads.clear();
    ended_threads.clear();
  }
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

// Calls fn(const Event&) for every event that the range stands for.
template <typename Fn>
void for_each(const Batch& batch, const Event& range_event, Fn&& fn) {
  const Range& range = batch.ranges[range_event.index];
  const auto accesses = batch.accesses_of(range);
  Event loop{};
  loop.index = range.loop;
  loop.kind = EventKind::loop_enter;
  fn(static_cast<const Event&>(loop));
  for (std::uint64_t k = 0; k < range.count; k++) {
    loop.kind = EventKind::loop_iteration;
    fn(static_cast<const Event&>(loop));
    for (const RangeAccess& a : accesses) {
      if (k >= a.count) continue;
      Event access{a.address + k * static_cast<std::uint64_t>(a.step), a.base,
                   {a.site}, a.object, Batch::short_width(a.width), a.group,
                   a.store ? EventKind::store : EventKind::load};
      fn(static_cast<const Event&>(access));
    }
  }
  loop.kind = EventKind::loop_exit;
  fn(static_cast<const Event&>(loop));
}

}  // namespace memprof::backend
