// external_calls.h - calls of functions that are not instrumented.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A unit names the functions that it calls and does not define (mprt_callee). Which of them
// are instrumented follows from the tables of all units: a function of another unit has a row
// of mprt_function there, or is a callee that is DEFINED. Libraries that are loaded later may
// define more, so this is looked up at the calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "feedback/model.h"
#include "runtime/backend/base/ids.h"
#include "runtime/backend/program/unit_image.h"

namespace memprof::backend {

class ExternalCalls {
 public:
  // Returns the id of the unit's first callee.
  CalleeId add_unit(const UnitImage& image);
  // Whether what is known so far does not define CALLEE.
  bool external_p(CalleeId callee) {
    Callee& c = callees_[callee];
    if (c.looked_at != defined_.size()) look_up(c);
    return c.external;
  }
  void count(CalleeId callee) { callees_[callee].calls++; }
  // By name.
  std::vector<feedback::ExternalFunction> rows() const;

 private:
  struct Callee {
    std::string name;
    std::uint64_t calls = 0;
    std::size_t looked_at = 0;  // number of functions that were defined then
    bool external = false;
  };
  void look_up(Callee& callee);

  std::vector<Callee> callees_ = std::vector<Callee>(1);
  std::unordered_set<std::string> defined_{""};  // what has no name
};

}  // namespace memprof::backend
