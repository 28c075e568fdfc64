// function_entries.h - how often functions were entered, as far as they count it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// In sample mode a function counts its first entries (MPRT_FIRST_ENTRY), and the runtime reports the counts
// when a unit is loaded and when it, or the program, ends (MPRT_ENTRIES). A loop that is in no other is entered
// at most once in each entry of its function: so one in main () has one entry, whatever bursts have seen.
//
//     entries.loaded (first, functions);              a library's counts begin anew
//     entries.note (first, 16, MPRT_ENTRIES_END, counts);
//     entries.of (first + 3)                          1; nothing: often, or not known
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "runtime/backend/base/ids.h"
#include "runtime/wire/record.h"

namespace memprof::backend {

class FunctionEntries {
 public:
  // The unit of FUNCTIONS functions from FIRST on.
  void loaded(FunctionId first, std::size_t functions) {
    for (std::size_t i = 0; i < functions; i++)
      if (const auto at = counts_.find(first + static_cast<FunctionId>(i)); at != counts_.end())
        at->second.before = 0, at->second.ended = false;
  }

  // COUNTS of FUNCTIONS functions from FIRST on, or of the first MPRT_ENTRIES_PER_RECORD of them.
  void note(FunctionId first, std::size_t functions, std::uint64_t when, std::uint64_t counts) {
    for (unsigned i = 0; i < MPRT_ENTRIES_PER_RECORD && i < functions; i++) {
      const unsigned n = MPRT_ENTRIES_OF(counts, i);
      if (n == 0) continue;
      Count& count = counts_[first + i];
      if (n >= MPRT_FIRST_ENTRIES || n < count.before) {
        count.many = true;
      } else {
        if (when == MPRT_ENTRIES_END) count.total += n - count.before, count.ended = true;
        count.before = n;
      }
    }
  }

  std::optional<std::uint64_t> of(FunctionId function) const {
    const auto at = counts_.find(function);
    if (at == counts_.end() || at->second.many || !at->second.ended) return {};
    return at->second.total;
  }

 private:
  struct Count {
    std::uint64_t total = 0;
    unsigned before = 0;  // that were reported already
    bool many = false;    // or it does not count
    bool ended = false;
  };
  std::unordered_map<FunctionId, Count> counts_;
};

}  // namespace memprof::backend
