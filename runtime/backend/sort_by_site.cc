// sort_by_site.cc - the executions of a batch, site by site.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/sort_by_site.h"

namespace memprof::backend {

void SiteSorter::count(Batch& batch) {
  for (std::size_t i = 0; i < batch.events.size(); i++) {
    const Event& e = batch.events[i];
    if (e.kind <= EventKind::store) {
      count(e.site);
    } else if (e.kind == EventKind::range) {
      Range& range = batch.ranges[e.index];
      range.event = static_cast<std::uint32_t>(i);
      for (std::uint32_t a = range.first; a < range.first + range.size; a++) {
        batch.accesses[a].range = e.index;
        if (batch.accesses[a].count != 0) count(batch.accesses[a].site);
      }
    } else if (e.kind == EventKind::thread) {
      batch.threads.push_back({static_cast<std::uint32_t>(i), e.index});
    } else if (e.kind == EventKind::thread_end) {
      batch.ended_threads.push_back(batch.threads.back().thread);
    }
  }
}

void SiteSorter::sort(Batch& batch) {
  batch.slices.clear();
  batch.threads.assign(1, {0, batch.thread});
  batch.ended_threads.clear();
  sites_.clear();
  count(batch);
  std::uint32_t end = 0;
  for (const SiteId site : sites_) {
    const std::uint32_t begin = end;
    end += places_[site];
    places_[site] = begin;
    batch.slices.push_back({site, begin, end});
  }
  batch.items.resize(end);
  batch.times.resize(end);
  std::uint64_t time = batch.time;
  for (std::size_t i = 0; i < batch.events.size(); i++) {
    const Event& e = batch.events[i];
    if (e.kind <= EventKind::store) {
      place(batch, e.site, static_cast<std::uint32_t>(i), time++);
    } else if (e.kind == EventKind::range) {
      const Range& range = batch.ranges[e.index];
      for (std::uint32_t a = range.first; a < range.first + range.size; a++) {
        const RangeAccess& access = batch.accesses[a];
        if (access.count != 0)
          place(batch, access.site, k_range_item | a, time);
        time += access.count;
      }
    }
  }
  for (const SiteId site : sites_) places_[site] = 0;
}

}  // namespace memprof::backend
