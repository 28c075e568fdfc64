// target_cursor.h - which object each access of a batch goes to, in their order.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The events of a batch have addresses, its columns have targets (batch.h). Both
// have the executions of a site in the same order, so a place in each column is
// enough to walk over both at once:
//
//     events    load 7 A   store 3 B   load 7 C
//     column 7: A -> heap, C -> stack      3: B -> global
#pragma once

#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/batch.h"

namespace memprof::backend {

// The object of an access; all 0 for what is no access, or in no known object.
struct AccessTarget {
  GroupId group = 0;
  std::uint32_t object = 0;  // serial number in its group
  std::uint64_t base = 0;
};

class TargetCursor {
 public:
  // Calls fn(const Event&, width, const AccessTarget&) for every event, what blocks and
  // ranges represent one by one.
  template <typename Fn>
  void for_each(const Batch& batch, Fn&& fn) {
    for (const Column& column : batch.columns)
      places_[column.site] = {column.first, 0, 0};
    for (const Event& e : batch.events)
      if (e.kind == EventKind::range) {
        range(batch, e, fn);
      } else if (e.kind == EventKind::block) {
        backend::for_each(batch, e, [&](const Event& x) {
          fn(x, std::uint64_t{x.short_width}, access_p(x) ? next(batch, x.site) : AccessTarget());
        });
      } else {
        fn(e, batch.width(e), access_p(e) ? next(batch, e.site) : AccessTarget());
      }
  }

 private:
  struct Place {
    const Chunk* chunk;
    std::uint32_t item;
    std::uint64_t done;  // executions of it, if it represents several of a series
  };
  static bool access_p(const Event& e) {
    return e.kind == EventKind::load || e.kind == EventKind::store;
  }
  // The item of the next execution of SITE, or of all of a range's.
  const Item& step(const Batch& batch, SiteId site) {
    Place& place = places_[site];
    if (place.item == Chunk::k_size) place = {place.chunk->next, 0, 0};
    const Item& item = place.chunk->items[place.item];
    if (++place.done >= batch.blocks_of(item)) {
      place.item++;
      place.done = 0;
    }
    return item;
  }
  static AccessTarget target_of(const RangeAccess& a) { return {a.group, a.object, a.base}; }
  AccessTarget next(const Batch& batch, SiteId site) {
    const Item& item = step(batch, site);
    if ((item.target & k_range_item) != 0)
      return target_of(batch.accesses[item.target - k_range_item]);
    const Target& target = batch.targets[item.target];
    return {target.group, target.object, target.base};
  }
  template <typename Fn>
  void range(const Batch& batch, const Event& e, Fn&& fn) {
    const auto accesses = batch.accesses_of(batch.ranges[e.index]);
    for (const RangeAccess& a : accesses)
      if (a.count != 0) step(batch, a.site);
    backend::for_each(batch, e, [&](const Event& x) {
      AccessTarget target;
      if (access_p(x))
        for (const RangeAccess& a : accesses)
          if (a.site == x.site) target = target_of(a);
      fn(x, std::uint64_t{x.short_width}, target);
    });
  }

  PerSite<Place> places_;
};

}  // namespace memprof::backend
