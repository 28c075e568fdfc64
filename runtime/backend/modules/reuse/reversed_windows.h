// reversed_windows.h - windows whose stretches are read from their ends.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// In a stretch that is read from its end, the reuse distance of an access is how many other lines
// are accessed before its line is accessed *again*, by whichever site. For a store that is how large a cache
// must be to be of use for what it writes:
//
//     stretch     store A   store B   load C   load A
//     reversed    load A   load C   store B   store A        store A: {C, B}, store B: not again
//
// A stretch ends where fewer lines are looked at from there on (window_use.h): within one, each line is looked at
// throughout or not at all, or short distances would be looked at more often than long ones. Of a window that is a part of
// a long loop it is known how many lines the loop goes on to access; they are between its last access and the next one
// after the loop.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "runtime/backend/event/window_use.h"

namespace memprof::backend {

class ReversedWindows {
 public:
  // USE, the next one in the order in which they happened. Calls FN for the begin of each window; when a stretch ends, for
  // a `cut' and its uses of KIND, from the last to the first; and for the end.
  template <typename Fn>
  void use(const WindowUse& use, WindowUse::Kind kind, Fn&& fn) {
    Stretch& stretch = open_[use.thread];
    if (use.kind == WindowUse::begin) {
      stretch = {};
      stretch.lines = static_cast<double>(use.bytes);
      stretch.accesses = static_cast<double>(use.count);
      WindowUse begin = use;
      begin.base = begin.bytes = begin.count = 0;
      fn(begin);
    } else if (use.kind == WindowUse::end) {
      finish(stretch, fn);
      fn(use);
    } else if (use.kind == kind) {
      if (use.shift > stretch.shift) {
        finish(stretch, fn);
        stretch.shift = use.shift;
      }
      stretch.uses.push_back(use);
      if (use.looked_at) stretch.passed += static_cast<double>(use.count << use.shift);
    }
  }

 private:
  struct Stretch {
    std::vector<WindowUse> uses;
    std::uint8_t shift = 0;
    double lines = 0, accesses = 0;  // of the loop from the begin of the window on
    double passed = 0;               // accesses of the window so far

    // Lines that the loop goes on to access.
    std::uint64_t left() const {
      return passed < accesses ? static_cast<std::uint64_t>(lines * (1 - passed / accesses)) : 0;
    }
  };

  template <typename Fn>
  static void finish(Stretch& stretch, Fn&& fn) {
    if (stretch.uses.empty()) return;
    fn(WindowUse{.count = stretch.left(), .thread = stretch.uses[0].thread, .kind = WindowUse::cut});
    for (auto at = stretch.uses.rbegin(); at != stretch.uses.rend(); ++at) fn(*at);
    stretch.uses.clear();
  }

  std::unordered_map<std::uint32_t, Stretch> open_;  // by thread
};

}  // namespace memprof::backend
