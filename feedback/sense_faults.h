// sense_faults.h - faults of the rows of a profile, for sense.cc and sense_program.cc.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "feedback/derive.h"
#include "feedback/model.h"
#include "feedback/sense.h"

namespace memprof::feedback {

// Names the row that is checked in each fault that is found in it.
class RowFaults {
 public:
  // Ratios are rounded to six digits.
  static constexpr double k_tolerance = 2e-6;
  // Estimates are multiplied by whole factors.
  static constexpr double k_rounding = 1.02;

  static std::string num(Count n) { return std::to_string(n); }
  // Saturating, so that hostile counts do not wrap to something plausible.
  static Count sum(Count a, Count b) { return __builtin_add_overflow(a, b, &a) ? ~Count(0) : a; }
  // Sums stop at the largest number, which represents all that is more.
  static bool saturated(Count n) { return n == ~Count(0); }

  explicit RowFaults(Faults& faults) : faults_(faults) {}

  bool full() const { return faults_.full(); }
  // From here on faults are in the row that ROW, a JSON pointer, names.
  void at(std::string row) { base_ = std::move(row); }

  // A fault at FIELD of the current row.
  void fault(const std::string& field, std::string what) {
    faults_.add(field.empty() ? base_ : base_ + '/' + field, std::move(what));
  }
  void at_most(const std::string& field, Count value, Count limit, const char* of) {
    if (value > limit)
      fault(field, num(value) + " is more than " + of + ", " + num(limit));
  }

  void check_ratio(const std::string& field, double value, Count part, Count whole) {
    if (saturated(part) || saturated(whole)) return;
    const double expected = ratio(part, whole);
    if (!(std::fabs(value - expected) <= k_tolerance * std::max(1.0, expected)))
      fault(field, "expected " + num(part) + " / " + num(whole));
  }

 private:
  Faults& faults_;
  std::string base_;  // pointer of the current row
};

// The part of check_sense() for `run' and `modules'.
void check_program(const Profile& profile, Faults& faults);

}  // namespace memprof::feedback
