// cache_model.h - sets of recently used lines, and how large the machine's are.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A level of a cache, or a TLB, is a number of sets, each of which keeps the
// lines (pages) that were used last, in that order; a line that is not in its
// set is a miss and takes the place of the one that was used longest ago.
//
// Lines are numbered in the order of their first use and spread over the sets by
// a hash. So what is modelled is a cache without the conflicts of a particular
// address layout, and the same run has the same misses wherever its memory was.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/geometry_fields.h"

namespace memprof::backend {

struct CacheGeometry {
  CacheLevel l1, l2, llc, tlb;
  std::uint32_t line = 64;
  // One page in `sample' is looked at, in one window of accesses in `window'.
  std::uint32_t sample = 16, window = 1;

  bool operator==(const CacheGeometry&) const = default;
};

// What this machine has; usual sizes where FOLDER does not say.
CacheGeometry machine_geometry(
    const std::string& folder = "/sys/devices/system/cpu/cpu0/cache");

// "L1=48K/12,L2=2M/16,LLC=260M/20,TLB=1536/12,line=64,sample=16,window=1": what
// TEXT names is changed in GEOMETRY. False if something makes no sense.
bool parse_geometry(std::string_view text, CacheGeometry& geometry);
// The machine's, but for what PROGRAM's option cache= says.
CacheGeometry geometry_for(const ProgramInfo& program);
std::string geometry_text(const CacheGeometry& geometry);
// The same without what is not a size: "L1=48K/12,L2=2M/16,LLC=260M/20,TLB=1536/12".
std::string sizes_text(const CacheGeometry& geometry);

class LruSets {
 public:
  // For one line in SAMPLE: SAMPLE times fewer sets, or a smaller one if there is but one.
  LruSets(std::uint64_t lines, std::uint32_t ways, std::uint32_t sample)
      : ways_(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(lines / sample, 1, std::max(ways, 1u)))),
        sets_(static_cast<std::uint32_t>(
            std::max<std::uint64_t>(lines / sample / ways_, 1))),
        lines_(lines == 0 ? nullptr : zeros(std::size_t{sets_} * ways_)) {}

  // Asks for what a use of LINE will look at.
  [[gnu::always_inline]] void prefetch(std::uint32_t line) const {
    if (!lines_) return;
    const std::uint32_t* const set = &lines_[set_of(line)];
    __builtin_prefetch(set, 1);
    __builtin_prefetch(set + ways_ - 1, 1);
  }
  // Uses LINE, which is not 0; whether it was there.
  bool use(std::uint32_t line) {
    if (!lines_) return false;
    std::uint32_t* const set = &lines_[set_of(line)];
    if (set[0] == line) return true;
    std::uint32_t moved = set[0];
    for (std::uint32_t i = 1; i < ways_; i++) {
      std::swap(moved, set[i]);
      if (moved == line) {
        set[0] = line;
        return true;
      }
    }
    set[0] = line;
    return false;
  }

 private:
  // Fibonacci hashing: neighbours go to sets far apart.
  std::size_t set_of(std::uint32_t line) const {
    const std::uint32_t hash = line * 0x9e3779b1u;
    return static_cast<std::size_t>(std::uint64_t{hash} * sets_ >> 32) * ways_;
  }

  // calloc takes large tables from the system, page by page as they are used: a
  // short program uses few of the megabytes.
  static std::uint32_t* zeros(std::size_t n) {
    void* const place = std::calloc(n, sizeof(std::uint32_t));
    if (!place) throw std::bad_alloc();
    return static_cast<std::uint32_t*>(place);
  }
  struct Free {
    void operator()(std::uint32_t* place) const { std::free(place); }
  };

  std::uint32_t ways_, sets_;
  std::unique_ptr<std::uint32_t[], Free> lines_;
};

}  // namespace memprof::backend
