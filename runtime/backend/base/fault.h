// fault.h - deliberate errors that the exactness test must notice.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A test that compares the profile with an oracle proves little unless it is known to
// fail. MPRT_OPTIONS=fault=NAME makes the backend wrong in one small way of faults.def.
// Each fault is looked at in one place, and never where a compare with a constant would
// cost time.
#pragma once

#include <string_view>
#include <utility>

namespace memprof::backend {

enum class Fault {
  none,
#define FAULT(name, what, test) name,
#include "runtime/backend/base/faults.def"
};

inline Fault g_fault = Fault::none;

inline constexpr std::pair<std::string_view, Fault> k_fault_names[] = {
#define FAULT(name, what, test) {#name, Fault::name},
#include "runtime/backend/base/faults.def"
};

// False: there is no fault of this name.
inline bool set_fault(std::string_view name) {
  for (const auto& [known, fault] : k_fault_names)
    if (known == name) {
      g_fault = fault;
      return true;
    }
  return false;
}

}  // namespace memprof::backend
