// fault.h - deliberate errors that the exactness test must notice.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A test that compares the profile with an oracle proves little unless it is
// known to fail.  MPRT_OPTIONS=fault=NAME makes the backend wrong in one small
// way; each fault is looked at in exactly one place, never on a hot path that
// would notice a compare with a constant.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace memprof::backend {

enum class Fault {
  none,
  granule8,        // dependence: shadow of 8-byte granules
  no_clear,        // dependence: birth and death do not clear the shadow
  first_byte,      // dependence: only the first byte of an access is looked at
  stride_reset,    // stride: two neighbouring sites share their history
  object_reuse,    // object manager: deaths are ignored
  iters,           // loop context: iteration starts are ignored
  range_distance,  // dependence: distance off by one in closed form
  group_mix,       // points_to: counts go to the previous group
  pointer_death,   // pointers: deaths are ignored
  pointer_context, // pointers: births have no context
  pointer_end      // pointers: the end of an object belongs to none
};

inline Fault g_fault = Fault::none;

inline constexpr std::array<std::pair<std::string_view, Fault>, 11>
    k_fault_names{{{"granule8", Fault::granule8},
                   {"no-clear", Fault::no_clear},
                   {"first-byte", Fault::first_byte},
                   {"stride-reset", Fault::stride_reset},
                   {"object-reuse", Fault::object_reuse},
                   {"iters", Fault::iters},
                   {"range-distance", Fault::range_distance},
                   {"group-mix", Fault::group_mix},
                   {"pointer-death", Fault::pointer_death},
                   {"pointer-context", Fault::pointer_context},
                   {"pointer-end", Fault::pointer_end}}};

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
