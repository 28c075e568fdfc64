// parallel.h - work that several threads share out among themselves.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// By oneTBB, which synchronises the work with what comes before and after it. It is not
// built for ThreadSanitizer, so that it would take all of that for races: that is why it is said
// once more, with an atomic that costs nothing.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>

namespace memprof::backend {

// What each piece of work begins and ends with.
class Handover {
 public:
  void take() const { (void)pieces_.load(std::memory_order_acquire); }
  void give() { pieces_.fetch_add(1, std::memory_order_release); }

 private:
  std::atomic<std::size_t> pieces_{0};
};

// Calls fn(i) for all i < COUNT, in no order.
template <typename Fn>
void parallel_for(std::size_t count, Fn&& fn) {
  Handover before, after;
  before.give();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      before.take();
                      for (std::size_t i = range.begin(); i < range.end(); i++) fn(i);
                      after.give();
                    });
  after.take();
}

// Calls all of them, which begin in this order.
inline void parallel_for_each(std::span<const std::function<void()>> works) {
  Handover before, after;
  before.give();
  tbb::parallel_for_each(works.begin(), works.end(), [&](const std::function<void()>& work) {
    before.take();
    work();
    after.give();
  });
  after.take();
}

}  // namespace memprof::backend
