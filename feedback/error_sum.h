// error_sum.h - how far off a sum of the executions of sites may be.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What bursts miss of a loop they miss of all its sites, so the errors of sites of one loop are added; those of
// different loops have nothing to do with each other, so the root of the sum of their squares is taken.
//
//     ErrorSum sum;
//     sum.add (1, 30), sum.add (1, 10), sum.add (2, 30);     sites of loops 1, 1 and 2
//     sum.half_width ()                                       50
#pragma once

#include <cmath>
#include <map>

#include "feedback/model.h"

namespace memprof::feedback {

class ErrorSum {
 public:
  // HALF: half the width of the 95 % interval of a count of a site in LOOP.
  void add(Id loop, double half) { halves_[loop] += half; }
  void add(const Site& site) { add(site.loop, site.error * static_cast<double>(site.executions)); }
  void add(const ErrorSum& part) {
    for (const auto& [loop, half] : part.halves_) add(loop, half);
  }
  double half_width() const {
    double squares = 0;
    for (const auto& [loop, half] : halves_) squares += half * half;
    return std::sqrt(squares);
  }

 private:
  std::map<Id, double> halves_;
};

}  // namespace memprof::feedback
