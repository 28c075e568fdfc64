// per_site.h - what a module keeps of each site.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A large program has many more sites than a run executes: sqlite3 has 170,000, of which a
// sampled run sees 6000. Those that are executed lie together, function by function. So a
// PerSite<T> is made of blocks of a few sites, each on the first question for one of them:
//
//     PerSite<std::uint64_t> dead;
//     dead[site]++;                                     site 100000: sites 99984 to 99999 are
//                                                       still nowhere, 100000 to 100015 are 0
//     dead.for_each([](SiteId site, std::uint64_t n) {  16 times, in the order of sites
//       if (n != 0) ...
//     });
//
// Elements begin as T{} and never move.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/backend/base/ids.h"

namespace memprof::backend {

template <typename T>
class PerSite {
 public:
  T& operator[](SiteId site) {
    const std::size_t block = site / k_block;
    if (block >= blocks_.size() || !blocks_[block]) [[unlikely]] make(block);
    return (*blocks_[block])[site % k_block];
  }
  // Null: operator[] was never called for it.
  const T* find(SiteId site) const {
    const std::size_t block = site / k_block;
    return block < blocks_.size() && blocks_[block] ? &(*blocks_[block])[site % k_block] : nullptr;
  }
  // Asks for what there is of a site.
  [[gnu::always_inline]] void prefetch(SiteId site) const {
    if (const T* const element = find(site)) __builtin_prefetch(element);
  }
  // Calls fn(SiteId, T&) for all that were looked up, and for their neighbours.
  template <typename Fn>
  void for_each(Fn&& fn) {
    SiteId site = 0;
    for (const auto& block : blocks_)
      if (block)
        for (T& element : *block) fn(site++, element);
      else
        site += k_block;
  }

 private:
  static constexpr SiteId k_block = 16;
  using Block = std::array<T, k_block>;

  [[gnu::noinline]] void make(std::size_t block) {
    if (block >= blocks_.size()) blocks_.resize(block + block / 2 + 4);
    blocks_[block] = std::make_unique<Block>();
  }

  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace memprof::backend
