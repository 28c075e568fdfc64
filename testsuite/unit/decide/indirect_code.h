// indirect_code.h - what the compiler says of a load a[b[i]] that can be looked ahead to, for tests.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "consumers/decide/prefetch.h"

namespace memprof::decide {

inline PrefetchCode good_code() {
  PrefetchCode code;
  code.shape = Shape::indirect;
  code.instructions = 30;
  code.waits = 0.5;
  code.index_step = 4;
  return code;
}

}  // namespace memprof::decide
