// dead_stores.h - the table dead_stores: stores whose value is never read.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

// Executions of a store whose bytes were all overwritten, or freed, unread.
struct Dead {
  static constexpr const char* k_name = "dead";
};
using DeadStore = StoreCount<Dead>;

}  // namespace memprof::feedback
