// gate_shown.h - every refusal of a test shows the numbers that refused.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include "consumers/decide/decision.h"

namespace memprof::decide {

// DECISION. Its gate's value is on the wrong side of the limit, or its reason is none of numbers;
// what is taken, open or vetoed has no gate.
inline Decision gate_shown(Decision decision) {
  const Gate& gate = decision.gate;
  if (!decision.refused()) {
    EXPECT_EQ(gate.name, "") << decision.text;
    return decision;
  }
  switch (decision.reason) {
    case Reason::code_shape:
    case Reason::covered:
    case Reason::regular:
    case Reason::not_heap:
    case Reason::wrapped:
    case Reason::not_asked:
    case Reason::unchecked:
    case Reason::obstacles:
      if (gate.name.empty()) return decision;
      break;
    default: break;
  }
  EXPECT_NE(gate.name, "") << decision.text;
  EXPECT_TRUE(gate.at_most ? gate.value > gate.limit : gate.value < gate.limit)
      << gate.name << ' ' << gate.value << ' ' << gate.limit << ": " << decision.text;
  return decision;
}

}  // namespace memprof::decide
