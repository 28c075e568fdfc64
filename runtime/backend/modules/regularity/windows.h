// windows.h - when the module regularity looks at references, and when it does not.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// To look at a reference costs more than all other modules together, so by default it is done in
// *windows*:
//
//     time     0        64 K        72 K      88 K             1 M            2 M
//     looks    ##########            ##        ##               ##             ##
//
//   1. A burst is over after `burst' references that were looked at one by one. What is done in
//      closed form is free, so a regular loop lies in a burst as a whole. Before and after a burst
//      some references are looked at that do not count.
//   2. The next one begins after a random time, whose mean is a sixteenth of the time that has
//      passed, and `period' at most: short runs, and the beginnings of long ones, are seen
//      well. So that these do not count for more than the rest of the run, each window has a
//      weight: the time, in bursts, that it represents.
//   3. Where a site is executed for the first time, a short window begins, which counts at once, so
//      rare code is seen.
//
// If there may be only N windows (`bursts=N'), their distances grow so that the N-th begins after some
// 2^34 accesses: how long the run will be is not known. Windows of 3. are not among the N.
//
// Random numbers are the same in each run. Time is the number of accesses. With one option that
// is no default, only that is different: see collection.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/backend/modules/regularity/collection.h"

namespace memprof::backend {

class Windows {
 public:
  // Chosen so that windows cost a tenth of what default modules do and the classes of the programs
  // in doc/regularity.md are those of complete collection.
  static constexpr std::uint64_t k_period = 1 << 19, k_burst = 1 << 13;
  static constexpr double k_share = 16;      // of the time that has passed
  static constexpr double k_doublings = 21;  // of the time that N windows are spread over: to 2^34
  // References that are looked at, but not counted, before a burst and after it: for streams that
  // began before it, and for those that a reference joins with two later ones.
  static constexpr std::uint64_t k_before = 1000, k_after = 200;
  static constexpr std::uint64_t k_weight = 16;
  static constexpr std::uint64_t k_never = ~std::uint64_t{0};

  // AFTER: references that are looked at after a burst.
  explicit Windows(const Collection& collection, std::uint64_t after = k_after)
      : after_(after),
        period_(collection.period.value_or(collection.bursts ? k_never : k_period)),
        burst_(std::max<std::uint64_t>(collection.burst.value_or(k_burst), 1)),
        most_(collection.bursts.value_or(k_never)),
        share_(std::max(1 / k_share, std::exp2(k_doublings / static_cast<double>(most_)) - 1)),
        next_(most_ == 0 ? k_never : 0) {}

  bool complete() const { return period_ == 0; }
  bool open() const { return left_ != 0; }
  // When the next one begins, if none is open.
  std::uint64_t next() const { return next_; }
  std::uint64_t number() const { return number_; }  // of the last one, from 1
  bool any() const { return most_ != 0; }
  // Of each reference in the open window: k_weight if it represents itself only.
  std::uint64_t weight() const { return weight_; }

  void begin() {
    number_++;
    spread_ += !at_once_ || number_ == 1;
    counted_ = at_once_ && number_ > 1 ? std::max<std::uint64_t>(burst_ / 4, 1) : burst_;
    weight_ = k_weight;
    if (!at_once_ && number_ > 1) weight_ += k_weight * (mean_ + k_before + after_) / burst_;
    left_ = k_never;
    if (complete()) weight_ = 1;
    if (!complete()) left_ = (at_once_ || number_ == 1 ? 0 : k_before) + counted_ + after_;
    at_once_ = false;
  }
  // Whether the reference that comes next is one of the burst; the window is open.
  bool counts() const { return complete() || (left_ > after_ && left_ <= after_ + counted_); }
  // There is reason to look at what follows TIME; none is open.
  void begin_at(std::uint64_t time) {
    next_ = std::min(next_, time);
    at_once_ = true;
  }
  // References before the burst begins, or after it until the window is over.
  std::uint64_t uncounted() const { return left_ > after_ ? left_ - after_ - counted_ : left_; }
  // REFERENCES of these, or one of the burst, were looked at. The window is no longer open if they
  // were the last ones.
  void spend(std::uint64_t references = 1) {
    if (!complete()) left_ -= references;
  }
  // The window is over at TIME.
  void end(std::uint64_t time) {
    left_ = 0;
    if (spread_ >= most_) {
      next_ = k_never;
      return;
    }
    mean_ = std::min(period_, static_cast<std::uint64_t>(
                                  std::min(static_cast<double>(time) * share_, 0x1p62)));
    next_ = time + mean_ / 2 + random() % (mean_ + 1);
  }

 private:
  // xorshift (Marsaglia 2003).
  std::uint64_t random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return state_ ^= state_ << 17;
  }

  std::uint64_t after_, period_, burst_, most_;
  double share_;                // of the time that has passed, to the next window
  std::uint64_t spread_ = 0;    // windows that are not due to a new site
  std::uint64_t left_ = 0;  // references of the open window
  std::uint64_t counted_ = 0;  // of the burst of the open window
  std::uint64_t next_, number_ = 0;
  std::uint64_t mean_ = 0, weight_ = k_weight;  // mean_: of the time before the next window
  bool at_once_ = false;  // the next window has no references before its burst
  std::uint64_t state_ = 0x2545f4914f6cdd1d;
};

}  // namespace memprof::backend
