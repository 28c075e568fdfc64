// mdf_baselines.h - what LEAP's dependence frequencies are measured against.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The frequency of a pair (store, load) is the share of the load's executions
// that read a byte which the store has written at any earlier time (Wu et al.,
// CGO 2004, section 5.1).
//
//   ExactMdf      lossless: every byte remembers the set of static stores that
//                 have written it since its object was born
//   WindowedMdf   the instruction-indexed competitor (Connors): each static
//                 store remembers the last H places it wrote; a load conflicts
//                 with it if it overlaps one of them. Never too high; blind to
//                 dependences over a long distance. Its cost per load is the
//                 number of stores times H
//
// Both take accesses in the order of time and give, at the end, how many
// executions of each load conflict with each store.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memprof::bench {

using SiteId = std::uint32_t;
// (store, load) -> executions of the load that conflict.
using Conflicts = std::map<std::pair<SiteId, SiteId>, std::uint64_t>;

class ExactMdf {
 public:
  ExactMdf() { sets_.emplace_back(); }  // set 0: no site

  void store(SiteId site, std::uint64_t address, std::uint64_t width) {
    for (std::uint64_t a = address; a < address + width; a++) {
      std::uint32_t& cell = writers(a);
      cell = with(cell, site);
    }
  }

  void load(SiteId site, std::uint64_t address, std::uint64_t width) {
    std::uint32_t all = 0;
    for (std::uint64_t a = address; a < address + width; a++)
      all = united(all, writers(a));
    loads_[key(all, site)]++;
  }

  // An object was born there: these bytes are another location now.
  void clear(std::uint64_t address, std::uint64_t width) {
    for (std::uint64_t a = address; a < address + width;) {
      const auto page = pages_.find(a / k_page);
      if (page == pages_.end()) {
        a = (a / k_page + 1) * k_page;
        continue;
      }
      (*page->second)[a % k_page] = 0;
      a++;
    }
  }

  Conflicts conflicts() const {
    Conflicts result;
    for (const auto& [k, count] : loads_)
      for (const SiteId store : sets_[k >> 32])
        result[{store, static_cast<SiteId>(k)}] += count;
    return result;
  }

 private:
  static constexpr std::uint64_t k_page = 4096;
  using Page = std::array<std::uint32_t, k_page>;

  static std::uint64_t key(std::uint32_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
  }

  std::uint32_t& writers(std::uint64_t address) {
    auto& page = pages_[address / k_page];
    if (!page) page = std::make_unique<Page>();
    return (*page)[address % k_page];
  }

  // Sets are kept once each, so that a byte needs a number only.
  std::uint32_t number_of(std::vector<SiteId> set) {
    const auto [it, fresh] =
        numbers_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
    if (fresh) sets_.push_back(std::move(set));
    return it->second;
  }

  std::uint32_t with(std::uint32_t set, SiteId site) {
    const auto [it, fresh] = with_.try_emplace(key(set, site), 0);
    if (fresh) {
      std::vector<SiteId> more = sets_[set];
      const auto at = std::lower_bound(more.begin(), more.end(), site);
      if (at == more.end() || *at != site) more.insert(at, site);
      with_[key(set, site)] = number_of(std::move(more));
    }
    return with_[key(set, site)];
  }

  std::uint32_t united(std::uint32_t a, std::uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    const auto it = united_.find(key(a, b));
    if (it != united_.end()) return it->second;
    std::vector<SiteId> both;
    std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(),
                   sets_[b].end(), std::back_inserter(both));
    return united_[key(a, b)] = number_of(std::move(both));
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::vector<std::vector<SiteId>> sets_;
  std::map<std::vector<SiteId>, std::uint32_t> numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> with_, united_;
  std::unordered_map<std::uint64_t, std::uint64_t> loads_;  // (set, load)
};

class WindowedMdf {
 public:
  explicit WindowedMdf(std::uint32_t h) : h_(h) {}

  void store(SiteId site, std::uint64_t address, std::uint64_t width) {
    Window& w = window(site);
    if (w.places.size() < h_)
      w.places.push_back({address, address + width});
    else
      w.places[w.oldest++ % h_] = {address, address + width};
  }

  void load(SiteId site, std::uint64_t address, std::uint64_t width) {
    const std::uint64_t end = address + width;
    for (std::size_t i = 0; i < windows_.size(); i++)
      for (const auto& [first, last] : windows_[i].places)
        if (address < last && first < end) {
          counts_[std::uint64_t{site} << 32 | i]++;
          break;
        }
  }

  Conflicts conflicts() const {
    Conflicts result;
    for (const auto& [k, count] : counts_)
      result[{windows_[k & 0xffffffff].site, static_cast<SiteId>(k >> 32)}] =
          count;
    return result;
  }

 private:
  struct Window {
    SiteId site;
    std::uint64_t oldest = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  };

  Window& window(SiteId site) {
    const auto [it, fresh] = index_.try_emplace(site, windows_.size());
    if (fresh) windows_.push_back({site, 0, {}});
    return windows_[it->second];
  }

  const std::uint32_t h_;
  std::vector<Window> windows_;
  std::unordered_map<SiteId, std::size_t> index_;
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;  // (load, window)
};

}  // namespace memprof::bench
