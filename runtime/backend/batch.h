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
//         access at a.address + k * a.step, at time range.time(a, k)
//     exit loop
//
// `for_each' expands a range; it is the reference.
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
  loop_resume       // index = LoopId or 0; address = frame: see record.h
};

// One event.  For load and store: base = address of the object's first byte,
// so offset = address - base; base = 0 and group = 0 when the address belongs
// to no live object.
struct Event {
  std::uint64_t address;
  std::uint64_t time;   // number of accesses before this one
  std::uint64_t base;
  std::uint64_t width;  // bytes
  SiteId site;
  GroupId group;
  std::uint32_t object;  // serial number in its group
  std::uint32_t index;
  std::uint32_t thread;
  EventKind kind;
};

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
};

// All accesses of a RangeAccess lie in one object, or all in none: the decoder
// expands what does not.
struct Range {
  std::uint64_t count;       // iterations
  std::uint64_t first_time;  // of the first access
  LoopId loop;
  std::uint32_t first;       // index of its first RangeAccess in Batch::accesses
  std::uint32_t size;        // number of RangeAccess
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

  std::span<const RangeAccess> accesses_of(const Range& range) const {
    return {accesses.data() + range.first, range.size};
  }
  void clear() { events.clear(); ranges.clear(); accesses.clear(); }
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
  Event event = range_event;
  event.index = range.loop;
  event.kind = EventKind::loop_enter;
  fn(static_cast<const Event&>(event));
  std::uint64_t time = range.first_time;
  for (std::uint64_t k = 0; k < range.count; k++) {
    event.kind = EventKind::loop_iteration;
    event.index = range.loop;
    event.time = time;
    fn(static_cast<const Event&>(event));
    for (const RangeAccess& a : accesses) {
      if (k >= a.count) continue;
      Event access{a.address + k * static_cast<std::uint64_t>(a.step), time++,
                   a.base, a.width, a.site, a.group, a.object, 0,
                   range_event.thread,
                   a.store ? EventKind::store : EventKind::load};
      fn(static_cast<const Event&>(access));
    }
  }
  event.kind = EventKind::loop_exit;
  event.index = range.loop;
  event.time = time;
  fn(static_cast<const Event&>(event));
}

}  // namespace memprof::backend
