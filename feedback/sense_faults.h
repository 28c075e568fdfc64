// sense_faults.h - faults of the rows of a profile, for sense.cc and sense_program.cc.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "feedback/derive.h"
#include "feedback/model.h"
#include "feedback/sense.h"

namespace memprof::feedback {

using Count = std::uint64_t;

// Ratios are rounded to six digits.
constexpr double k_tolerance = 2e-6;

inline std::string num(Count n) { return std::to_string(n); }

// Saturating, so that hostile counts do not wrap to something plausible.
inline Count sum(Count a, Count b) {
  return __builtin_add_overflow(a, b, &a) ? ~Count(0) : a;
}

// Sums stop at the largest number, which stands for all that is more.
inline bool saturated(Count n) { return n == ~Count(0); }

// Names the row that is checked in each fault that is found in it.
class RowFaults {
 public:
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

  // The histogram of a stride row or of its within_object, for executions E.
  template <typename Part>
  void check_histogram(const std::string& prefix, const Part& part, Count executions) {
    std::set<std::int64_t> strides;
    Count all = part.other;
    for (std::size_t i = 0; i < part.histogram.size(); i++) {
      const StrideCount& entry = part.histogram[i];
      const std::string field = prefix + "histogram/" + num(i);
      if (entry.count == 0) fault(field + "/1", "expected 1 or more");
      if (!strides.insert(entry.stride).second)
        fault(field + "/0", "a second entry for this stride");
      if (i > 0 && entry.count > part.histogram[i - 1].count)
        fault(field + "/1", "more than the entry before: not sorted");
      all = sum(all, entry.count);
    }
    if (all >= executions && !saturated(executions))
      fault(prefix + "histogram",
            "its counts and `other' make " + num(all) + ", but " + num(executions) +
                " executions have fewer strides");
    const bool any = !part.histogram.empty();
    if (part.dominant != (any ? part.histogram[0].stride : 0))
      fault(prefix + "dominant", "not the first stride of the histogram");
    check_ratio(prefix + "share", part.share, any ? part.histogram[0].count : 0,
                executions);
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
