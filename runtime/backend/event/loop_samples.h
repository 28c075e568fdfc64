// loop_samples.h - sample mode: executions of a site that loops report between bursts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Of the executions of a loop between bursts, the runtime reports one in N, chosen at random,
// together with N (a *loop sample*, runtime/target/mprt_loop_samples.cc). What it represents is an
// estimate:
//
//     a loop of 100 iterations, 2000 times     two samples, N = 1000 and N = 1000
//                                              seen 200, executions 200,000
//
// The first executions of each loop are reported, too, with N = 0: they stand only for themselves.
#pragma once

#include <cstdint>

#include "feedback/model.h"

namespace memprof::backend {

struct SiteSamples {
  std::uint64_t seen = 0;        // executions of the site in the samples
  std::uint64_t executions = 0;  // that these represent
  double variance = 0;           // of the estimate
  bool any = false;              // there is a sample
  // Executions of the loop that made the samples, seen and represented; 0: a call made them.
  std::uint64_t loops_seen = 0, loops = 0;

  // A sample with COUNT executions of the site, which represents TIMES such ones, or for none.
  void add(std::uint64_t times, std::uint64_t count) {
    any = true;
    feedback::add_count(seen, count);
    if (times == 0) return;
    std::uint64_t all = 0;
    if (__builtin_mul_overflow(times, count, &all)) all = ~std::uint64_t{0};
    feedback::add_count(executions, all);
    // Each of them was reported with probability 1 / times.
    const auto n = static_cast<double>(count), t = static_cast<double>(times);
    variance += t * (t - 1) * n * n;
  }
  // The sample was one execution of the innermost loop around the site.
  void add_loop(std::uint64_t times) {
    feedback::add_count(loops_seen, 1);
    feedback::add_count(loops, times);
  }
};

}  // namespace memprof::backend
