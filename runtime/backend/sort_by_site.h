// sort_by_site.h - the executions of a batch, site by site.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/backend/batch.h"

namespace memprof::backend {

// Fills items, times, slices, threads and the cross references of ranges; two
// passes over the events (counting sort), so that slices keep the order of time.
//
//     events   load 7   store 3   load 7   range {load 7 x 100, load 9 x 99}
//     slices   7: events 0, 2, access 0    3: event 1    9: access 1
class SiteSorter {
 public:
  void sort(Batch& batch);

 private:
  void count(Batch& batch);
  void count(SiteId site) {
    if (site >= places_.size()) places_.resize(site + site / 2 + 64);
    if (places_[site]++ == 0) sites_.push_back(site);
  }
  void place(Batch& batch, SiteId site, std::uint32_t item, std::uint64_t time) {
    const std::uint32_t at = places_[site]++;
    batch.items[at] = item;
    batch.times[at] = time;
  }

  std::vector<std::uint32_t> places_;  // by SiteId; all 0 between two sorts
  std::vector<SiteId> sites_;          // those of the batch
};

}  // namespace memprof::backend
