// shadow_testutil.h - what the tests of the shadow memory share.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <random>

#include "runtime/backend/shadow/shadow_page.h"

namespace memprof::backend {

// Of a run: mostly one tick, upwards or downwards.
inline int any_pace(std::mt19937_64& random) {
  const int ticks = random() % 2 ? 1 : static_cast<int>(random() % (k_max_pace + 1));
  return random() % 2 ? ticks : -ticks;
}

}  // namespace memprof::backend
