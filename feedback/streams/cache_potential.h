// cache_potential.h - what hot streams could save in a cache, and how well they are packed.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Packing efficiency of a stream: blocks that its members need at least, by blocks that they lie
// in. Members are different places; one that lies across two blocks needs both.
//
// Potential: misses of a fully associative LRU cache in four configurations.
//
//   base       as it was
//   prefetch   a reference that is in a hot stream never misses; its block is brought in all the
//              same, and takes the place of another one
//   cluster    members of hot streams lie together: stream by stream, the hottest first, those that
//              have no place yet one after the other from the next block on
//   both
//
// It is a bound for what prefetching and allocation could gain, not a simulation of a machine.
//
// Paper: Chilimbi, PLDI 2001, sections 4.3 and 5.4.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "feedback/streams/grammar.h"
#include "feedback/streams/hot_streams.h"

namespace memprof::streams {

inline constexpr std::uint64_t k_block = 64;

// A member: where it lies.
struct Extent {
  std::uint64_t address = 0, bytes = 0;
};

struct Packing {
  std::uint64_t least = 0, actual = 0;  // blocks
  double efficiency() const {
    return actual == 0 ? 0 : static_cast<double>(least) / static_cast<double>(actual);
  }
};
// Of different members.
Packing packing(const std::vector<Extent>& members, std::uint64_t block = k_block);

class LruCache {
 public:
  explicit LruCache(std::uint64_t lines) : lines_(lines) {}
  // Whether it was there; it is now.
  bool touch(std::uint64_t block);

 private:
  std::uint64_t lines_;
  std::list<std::uint64_t> order_;  // the last one used first
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

struct Misses {
  std::uint64_t references = 0;
  std::uint64_t base = 0, prefetch = 0, cluster = 0, both = 0;
  std::uint64_t base_hot = 0;  // of base, those of references in hot streams
};

class CachePotential {
 public:
  explicit CachePotential(std::uint64_t bytes, std::uint64_t block = k_block)
      : block_(block), base_(bytes / block), prefetch_(bytes / block), cluster_(bytes / block),
        both_(bytes / block) {}
  // CLUSTERED: its address when streams are clustered.
  void reference(std::uint64_t address, std::uint64_t clustered, bool hot);
  const Misses& misses() const { return misses_; }

 private:
  const std::uint64_t block_;
  LruCache base_, prefetch_, cluster_, both_;
  Misses misses_;
};

// New addresses of names, 0 for those that stay. EXTENTS by name. None is in use: they have bit 63.
std::vector<std::uint64_t> clustered_addresses(const std::vector<HotStream>& streams,
                                               const std::vector<Extent>& extents,
                                               std::uint64_t block = k_block);

}  // namespace memprof::streams
