// loop_context.h - active loops of a thread, and which one carries a dependence.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One clock for the whole program: it advances by one at each start of a loop
// iteration, never at accesses.  A store is stamped with it.  Seen from a later
// access of a thread whose loops L1 (outermost) .. Ln are active, a source with
// stamp t is *carried* by the innermost loop that was entered before the source
// ran, that is whose clock at entry is < t; by the whole program if there is
// none.  Its *distance* is the number of iterations of that loop that have
// started since.  (LAMP's semantics, as in Xu et al., PROMPT.)
//
//        clock   1    2      3      4          enter outer at 1, iteration at 2;
//   outer (1)    |----i--------------------    enter inner at 2, iterations at
//   inner (2)         |------i------i------    3 and 4.  Seen from the end: t = 4
//                                              inner, 0; t = 3 inner, 1; t = 2
//                                              outer, 0; t = 1 program, 0.
//
// The starts of iterations are kept as runs (first, step, number), so that a
// loop whose iterations take equally many ticks needs O(1) memory.  The runs
// of all active loops form one stack, because only the innermost loop can start
// an iteration: those inside it are over, even if they never said so.
//
// Nearly all questions are about the last few iterations, or are "is it farther
// than the farthest so far?".  So the last 64 starts of a loop also lie in a
// ring.
//
// Threads take turns in the stream (thread_turns.h), and a loop carries only what its own
// thread has done: a store of another thread during the loop is in none of its iterations.
// The whole program carries it, at distance 1 (k_other_thread).
//
// In sample mode a burst begins within loops whose entries it has not seen. Such a loop is
// known from its next iteration on, and carries what comes from there.
//
// An exception or a longjmp leaves loops without a word.  The function where it
// arrives says so (resume): the stack grows downwards, so loops whose frame lies
// below are over.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/backend/base/chunked_array.h"
#include "runtime/backend/event/batch.h"
#include "runtime/backend/program/thread_turns.h"

namespace memprof::backend {

inline constexpr std::size_t k_distance_buckets = 6;  // 0 .. 4, 5 and more
inline constexpr std::size_t k_far = k_distance_buckets - 1;  // the last one

struct alignas(128) ActiveLoop {
  // What each dependence needs comes first.
  std::uint64_t serial = 0; // of this activation in its thread, another one from when it is
                            // recursive on; 0: not active, or the whole program
  // It carries the own sources of (low, low + span], and perhaps those of turns before.
  Stamp low;                // when it was entered, or the thread's turn began
  std::uint64_t span = ~low;  // ticks from then to when the loop inside it was entered, or
                              // to the end of time
  std::uint64_t key = 0;    // made of its id, see SinkCache
  Stamp iteration;          // start of its current iteration
  std::array<Stamp, k_far - 1> recent{};  // of those before it; 0: there is none
  std::uint64_t starts;     // iterations started so far
  Stamp expected = 0;       // the next one, if it goes on with the last run; 0: that has one
  std::uint64_t step = 0;   // of the last run
  Stamp entered = low;      // clock when it was entered
  LoopId id;
  std::uint32_t first_run;  // in LoopContext::runs_
  std::uint64_t frame = 0;  // address of its function's; 0: cannot be left so
  bool recursive = false;   // there was another activation at the same time

  static std::uint64_t key_of(LoopId loop) { return loop * ((std::uint64_t{1} << 32) + 3); }
};

// Where a source is, seen from now.  All sources of [low, high] are carried by
// the same loop and fall into the same bucket.
struct SourcePlace {
  const ActiveLoop* loop = nullptr;
  std::size_t bucket = 0;  // distance; k_far: that or more
  Stamp low = 1, high = 0;

  bool has(Stamp t) const { return low <= t && t <= high; }
};

// The loops of one thread.
class LoopContext {
 public:
  LoopContext() : stack_(k_near), top_(stack_.data()), entered_(k_near + 1), rings_(1) {
    *top_ = {.serial = 0, .low = 0, .iteration = 1, .starts = 0, .id = 0, .first_run = 0};
  }
  LoopContext(LoopContext&&) = default;
  LoopContext& operator=(LoopContext&&) = default;

  void enter(LoopId id, Stamp now, std::uint64_t frame = 0);
  // An iteration starts at NOW, or COUNT of them at now, now + 1, ...
  void iterate(LoopId id, Stamp now, std::uint64_t count);
  void iterate(LoopId id, Stamp now) {
    if (top_->id == id && id != 0) [[likely]]
      add_start(*top_, now);
    else
      iterate(id, now, 1);
  }
  void exit(LoopId id);
  // Control has arrived in FRAME, in loop ID of its function; 0: in none.
  void resume(LoopId id, std::uint64_t frame);
  // Nothing is known of where control is.
  void leave_all() {
    pop_to(0);
    unseen_loops_ = true;
  }
  // What happens from SINCE on is of THREAD, whose loops these are. TURNS has all turns.
  void begin_turn(const ThreadTurns& turns, std::uint32_t thread, Stamp since);

  // The loop that carries a source of stamp T >= 1; the whole program is an
  // ActiveLoop with id 0 and one iteration that starts at 1.
  const ActiveLoop* carrier(Stamp t) const {
    return t < since_ ? carrier_before(t) : own_carrier(t);
  }
  // The same of a source that is known to be of this thread.
  const ActiveLoop* own_carrier(Stamp t) const {
    const Stamp* entered = entered_.data() + entered_.size();
    for (int i = 1; i <= k_near; i++)
      if (entered[-i] < t) return top_ - (i - 1);
    return far_carrier(t);
  }
  // Whether LOOP surely carries a source of stamp T.
  bool carries(const ActiveLoop* loop, Stamp t) const {
    return t - loop->low - 1 < loop->span;  // low < t <= low + span
  }
  std::uint64_t distance(const ActiveLoop* loop, Stamp t) const {
    const std::uint64_t d = near_distance(loop, t);
    return d < k_far ? d : far_distance(loop, t);
  }
  // Whether it is less than k_far.
  static bool near_p(const ActiveLoop& loop, Stamp t) { return t >= loop.recent.back(); }
  // The same, at most k_far.
  std::uint64_t near_distance(const ActiveLoop* loop, Stamp t) const {
    std::uint64_t d = t < loop->iteration;
#pragma GCC unroll 4
    for (const Stamp start : loop->recent) d += t < start;
    return d;
  }
  // HINT, if not null, remembers where the last answer was found, for questions
  // that are alike.
  std::uint64_t far_distance(const ActiveLoop* loop, Stamp t,
                             std::uint32_t* hint = nullptr) const;

  // Start of iteration INDEX < loop->starts, counted from 0; of the last
  // k_ring iterations at once.
  static constexpr std::uint64_t k_ring = 64;
  using Ring = std::array<Stamp, k_ring>;
  Stamp recent_start(const ActiveLoop* loop, std::uint64_t index) const {
    return rings_[place_of(loop)][index % k_ring];
  }
  Stamp start_of(const ActiveLoop* loop, std::uint64_t index) const;
  SourcePlace locate(Stamp t) const;

  // Activations of a loop; above 1 in a recursion.
  std::uint32_t activations(LoopId id) const {
    return id < activations_.size() ? activations_[id] : id == 0;
  }
  // When the innermost activation of loop ID was entered; the end of time: it is not active.
  Stamp entered(LoopId id) const {
    const std::size_t i = find(id);
    return i != 0 ? stack_[i].entered : ~Stamp{0};
  }
  // Whether an active loop ID is in the iteration that started at START.
  bool current_p(LoopId id, Stamp start) const;

  const ActiveLoop& innermost() const { return *top_; }
  std::size_t depth() const { return static_cast<std::size_t>(top_ - stack_.data()); }

  // In the stack; the whole program is at 0.
  std::uint32_t place_of(const ActiveLoop* loop) const {
    return static_cast<std::uint32_t>(loop - stack_.data());
  }
  // Whether a pointer of the past still is to that activation.
  static bool active_p(const ActiveLoop* loop, std::uint64_t serial) {
    return loop->serial == serial;
  }
  static const ActiveLoop k_no_loop;  // is no activation
  // The whole program as the carrier of what other threads did during a loop of this one.
  static const ActiveLoop k_other_thread;

 private:
  struct Run {
    Stamp first;
    std::uint64_t step;
    std::uint64_t index;  // of its first iteration
  };
  // Steps that carrier() takes before it searches.
  static constexpr int k_near = 5;
  // Runs that far_distance() looks at before it searches.
  static constexpr int k_steps = 4;
  // This number of runs of one loop is exact; see thin().
  static constexpr std::size_t k_max_runs = std::size_t{1} << 22;

  void note_start(ActiveLoop& loop, Stamp now) {
    for (std::size_t i = loop.recent.size() - 1; i != 0; i--)
      loop.recent[i] = loop.recent[i - 1];
    loop.recent[0] = loop.starts != 0 ? loop.iteration : 0;
    loop.iteration = now;
    rings_[place_of(&loop)][loop.starts % k_ring] = now;
  }
  // COUNT > 0 of them, at NOW, now + 1, ...
  void note_starts(ActiveLoop& loop, Stamp now, std::uint64_t count);
  void grow();
  [[gnu::noinline]] void leave_run(ActiveLoop& loop, Stamp now);
  void add_start(ActiveLoop& loop, Stamp now) {
    if (now == loop.expected)
      loop.expected += loop.step;
    else
      leave_run(loop, now);
    note_start(loop, now);
    loop.starts++;
  }
  void add_starts(ActiveLoop& loop, Stamp now, std::uint64_t count);
  [[gnu::noinline]] const ActiveLoop* carrier_before(Stamp t) const;
  // The last stamp at which nothing inside LOOP was entered yet.
  Stamp last_carried(const ActiveLoop* loop) const {
    return loop == top_ ? ~Stamp{0} : loop[1].entered;
  }
  void pop_to(std::size_t place);  // which becomes the top
  std::size_t find(LoopId id) const;
  std::size_t end_run(const ActiveLoop* loop) const;
  std::size_t first_after(std::size_t begin, std::size_t end, Stamp t) const;
  const ActiveLoop* far_carrier(Stamp t) const;
  void thin(const ActiveLoop& loop);

  std::vector<ActiveLoop> stack_;  // up to top_ active
  // What it was before it grew: there may be pointers to loops.
  std::vector<std::vector<ActiveLoop>> outgrown_;
  ActiveLoop* top_;
  // When they were entered; padded in front, so that carrier() may look k_near
  // places down.
  std::vector<Stamp> entered_;
  std::vector<Ring> rings_;  // by place in the stack
  std::uint64_t entries_ = 0;
  ChunkedArray<Run> runs_;
  std::vector<std::uint32_t> activations_;  // by LoopId
  const ThreadTurns* turns_ = nullptr;
  Stamp since_ = 0;  // of the thread's turn
  std::uint32_t thread_ = 0;
  bool unseen_loops_ = false;
};

}  // namespace memprof::backend
