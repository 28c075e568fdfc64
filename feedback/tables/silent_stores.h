// silent_stores.h - the table silent_stores: stores of the value that is there already.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Executions of a store that wrote what was there already.
struct Silent {
  static constexpr const char* k_name = "silent";
};
using SilentStore = StoreCount<Silent>;

}  // namespace memprof::feedback
