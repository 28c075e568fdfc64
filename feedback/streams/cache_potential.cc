// cache_potential.cc - what hot streams could save in a cache, and how well they are packed.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/cache_potential.h"

#include <algorithm>

namespace memprof::streams {

Packing packing(const std::vector<Extent>& members, std::uint64_t block) {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> blocks;
  for (const Extent& m : members) {
    const std::uint64_t size = std::max<std::uint64_t>(m.bytes, 1);
    bytes += size;
    for (std::uint64_t b = m.address / block; b <= (m.address + size - 1) / block; b++)
      blocks.push_back(b);
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return {(bytes + block - 1) / block, blocks.size()};
}

bool LruCache::touch(std::uint64_t block) {
  const auto at = places_.find(block);
  if (at != places_.end()) {
    order_.splice(order_.begin(), order_, at->second);
    return true;
  }
  order_.push_front(block);
  places_[block] = order_.begin();
  if (order_.size() > lines_) {
    places_.erase(order_.back());
    order_.pop_back();
  }
  return false;
}

void CachePotential::reference(std::uint64_t address, std::uint64_t clustered, bool hot) {
  misses_.references++;
  const bool base = base_.touch(address / block_), cluster = cluster_.touch(clustered / block_);
  misses_.base += !base;
  misses_.base_hot += !base && hot;
  misses_.cluster += !cluster;
  misses_.prefetch += !prefetch_.touch(address / block_) && !hot;
  misses_.both += !both_.touch(clustered / block_) && !hot;
}

std::vector<std::uint64_t> clustered_addresses(const std::vector<HotStream>& streams,
                                               const std::vector<Extent>& extents,
                                               std::uint64_t block) {
  std::vector<std::uint64_t> places(extents.size(), 0);
  std::uint64_t next = std::uint64_t{1} << 63;
  for (const HotStream& stream : streams) {
    next = (next + block - 1) / block * block;
    for (const Symbol name : stream.names) {
      if (places[name] != 0) continue;
      places[name] = next;
      next += std::max<std::uint64_t>(extents[name].bytes, 1);
    }
  }
  return places;
}

}  // namespace memprof::streams
