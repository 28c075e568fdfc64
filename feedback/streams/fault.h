// fault.h - deliberate errors that the tests of streams must notice.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A comparison with brute force proves little unless it is known to fail. Each fault of faults.def is
// looked at in one place, and never where a compare would cost time.
#pragma once

namespace memprof::streams {

enum class Fault {
  none,
#define FAULT(name, what, test) name,
#include "feedback/streams/faults.def"
};

inline Fault g_fault = Fault::none;

}  // namespace memprof::streams
