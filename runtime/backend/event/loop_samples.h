// loop_samples.h - sample mode: what loops have told of a site outside of bursts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One of so many executions of a loop is told of (runtime/target/mprt_loop_samples.cc), with
// how many it stands for:
//
//     a loop of 100 iterations, told of twice, each time      told 200
//     for 2000 executions of the loop                         executions 400,000
#pragma once

#include <cstdint>

#include "feedback/row_keys.h"

namespace memprof::backend {

struct Witnessed {
  std::uint64_t told = 0;        // executions of the site in what was told of
  std::uint64_t executions = 0;  // in what that stands for
  double variance = 0;           // of the latter, which is an estimate
  bool any = false;              // something was told of

  // A loop with COUNT executions, which stands for TIMES such ones; 0: it was told of for
  // another reason.
  void add(std::uint64_t times, std::uint64_t count) {
    any = true;
    feedback::add_count(told, count);
    if (times == 0) return;
    std::uint64_t all = 0;
    if (__builtin_mul_overflow(times, count, &all)) all = ~std::uint64_t{0};
    feedback::add_count(executions, all);
    // Each of them was told of with probability 1 / times.
    const auto n = static_cast<double>(count), t = static_cast<double>(times);
    variance += t * (t - 1) * n * n;
  }
};

}  // namespace memprof::backend
