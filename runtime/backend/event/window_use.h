// window_use.h - sample mode: accesses of a window, thinned by a hash of what they touch.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// In a window (runtime/target/mprt_window.cc) a thread records every access. To look at all of
// them would cost too much where a window is long, and all accesses to one line in SAMPLE, chosen
// by a hash of its address, say as much (SHARDS: Waldspurger et al., FAST 2015). How many lines
// are looked at depends on how far the window is, so that a doubling of its length costs little
// more than the one before, 2^(1/4) times as much:
//
//     accesses so far     0 ..        1024 ..     2048 ..     4096 ..     8192 ..     16384 ..
//     lines               all         1 in 2      1 in 4      1 in 8      1 in 8      1 in 16
//
// The lines of a later stretch are a part of those of the earlier ones. Each window has lines of
// its own. One line in k_marked is the same in all windows: it shows what other windows have seen.
// Pages are treated in the same way.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/backend/base/ids.h"

namespace memprof::backend {

struct WindowUse {
  // cut: what was accessed is forgotten; COUNT lines are accessed between what comes and what was.
  enum Kind : std::uint8_t { begin, end, line, page, cut };
  std::uint64_t number = 0;  // of the line or page; of `begin', the seed of the window
  // Consecutive accesses of the site, of which only the first may miss; of `end', all accesses of
  // the window.
  std::uint64_t count = 0;
  SiteId site = 0;
  GroupId group = 0;
  // Of the object; both 0: it is not known. Of `begin', the lines that are known to be accessed, each at one time only,
  // before the window and from its begin on (base, bytes), in how many accesses (count): of a long loop.
  std::uint64_t base = 0, bytes = 0;
  std::uint32_t thread = 0;
  Kind kind = begin;
  std::uint8_t shift = 0;  // one line in 2^shift is looked at here
  bool looked_at = false;  // it is one of these
  bool marked = false;     // it is looked at in all windows
};

class WindowSample {
 public:
  static constexpr unsigned k_line_bits = 6, k_page_bits = 12;
  static constexpr unsigned k_full_bits = 10;   // accesses at the begin that are all looked at
  static constexpr unsigned k_most_line_shift = 14, k_most_page_shift = 5;
  static constexpr std::uint64_t k_marked_lines = 64, k_marked_pages = 8;

  static unsigned shift(WindowUse::Kind kind, std::uint64_t position) {
    const unsigned bits = static_cast<unsigned>(std::bit_width(position >> k_full_bits));
    return std::min((bits * 3 + 3) / 4, kind == WindowUse::line ? k_most_line_shift : k_most_page_shift);
  }
  static std::uint64_t hash(std::uint64_t number) {
    std::uint64_t x = number * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
  }
  // HASH: of a line or page; SEED: of the window.
  static bool looked_at(std::uint64_t hash, std::uint64_t seed, unsigned shift) {
    return ((hash >> 16 ^ seed) & ((std::uint64_t{1} << shift) - 1)) == 0;
  }
  static bool marked(WindowUse::Kind kind, std::uint64_t hash) {
    return hash % (kind == WindowUse::line ? k_marked_lines : k_marked_pages) == 0;
  }
};

}  // namespace memprof::backend
