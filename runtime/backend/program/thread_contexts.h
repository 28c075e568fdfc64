// thread_contexts.h - where each thread is: its loops and its functions.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a module that looks at loops or calling contexts does with their events is
// the same in all of them, so it is here:
//
//     void event(const Event& e, std::uint64_t width) {
//       if (at_.follow(e)) return;         // a loop, a function, another thread
//       ... at_.loops().carrier(stamp) ... at_.context() ...
//
// One clock for all threads: it advances when an iteration or a function begins.
// What happens is stamped with it, and a stamp tells later whether a loop, its
// iteration or a call had begun before (loop_context.h). After a gap (Batch) and at
// the end of a thread its loops and functions are unknown.
#pragma once

#include <unordered_map>

#include "runtime/backend/base/fault.h"
#include "runtime/backend/program/context_manager.h"
#include "runtime/backend/program/loop_context.h"

namespace memprof::backend {

class ThreadContexts {
 public:
  // Whether E says where a thread is and nothing else.
  bool follow(const Event& e) {
    switch (e.kind) {
      case EventKind::loop_enter: loops().enter(e.index, clock_, e.address); break;
      case EventKind::loop_iteration:
        if (g_fault != Fault::iters) loops().iterate(e.index, ++clock_);
        break;
      case EventKind::loop_exit: loops().exit(e.index); break;
      case EventKind::loop_resume:
        loops().resume(e.index, e.address);
        functions().resume(e.address);
        break;
      case EventKind::function_enter:
        functions().push(tree_, e.index, e.address, ++clock_);
        break;
      case EventKind::function_exit: functions().pop(e.index); break;
      case EventKind::gap:
        loops().leave_all();
        functions() = {};
        break;
      case EventKind::thread_end:
        threads_.erase(thread_);
        current_ = nullptr;
        break;
      case EventKind::thread:
        if (e.index == thread_) break;
        thread_ = e.index;
        turns_.begin(thread_, ++clock_);
        current_ = nullptr;
        break;
      default: return false;
    }
    return true;
  }

  Stamp now() const { return clock_; }
  // Of the current thread.
  std::uint32_t thread() const { return thread_; }
  LoopContext& loops() { return current().loops; }
  ContextManager& functions() { return current().functions; }
  ContextId context() { return functions().encode(); }
  const ContextTree& tree() const { return tree_; }

 private:
  struct Thread {
    LoopContext loops;
    ContextManager functions;
  };
  Thread& current() {
    if (current_ != nullptr) return *current_;
    current_ = &threads_[thread_];
    if (turns_.several()) current_->loops.begin_turn(turns_, thread_, turns_.at(clock_).first);
    return *current_;
  }

  ContextTree tree_;
  Stamp clock_ = 1;
  std::uint32_t thread_ = 0;
  ThreadTurns turns_;
  std::unordered_map<std::uint32_t, Thread> threads_;  // by number
  Thread* current_ = nullptr;
};

}  // namespace memprof::backend
