// random_program.h - programs by chance, for tests that compare a module with its definition.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "testsuite/unit/backend/backend_testutil.h"

namespace memprof::backend::testing {

// A random program: nested loops, accesses of mixed widths, objects that come
// and go, ranges that overlap themselves and each other.
class RandomProgram {
 public:
  struct Options {
    unsigned events = 24;          // about so many, at each nesting level fewer
    std::uint64_t area = 600;      // bytes that are accessed
    std::uint64_t origin = 0x7f0000000f00;  // crosses a page
    unsigned threads = 1;
    std::uint64_t max_count = 24;  // iterations of a range
    SiteId sites = 14;             // odd ones load, even ones store
    LoopId loops = 5;
    std::uint64_t wide = 250;      // some accesses are up to so large
  };

  RandomProgram(std::uint64_t seed, const Options& options)
      : random_(seed), options_(options) {}

  Trace make() {
    body(0, options_.events);
    return std::move(script_.batch);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return n ? random_() % n : 0; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  std::uint64_t address(std::uint64_t align) {
    return (options_.origin + below(options_.area)) / align * align;
  }
  std::uint64_t width() {
    static constexpr std::uint64_t widths[] = {1, 2, 4, 4, 4, 8, 8, 8, 16, 3};
    if (one_in(40)) return 0;
    if (one_in(20)) return below(std::min(options_.area, options_.wide));
    return widths[below(std::size(widths))];
  }
  SiteId site(bool store) {
    return static_cast<SiteId>(1 + below(options_.sites / 2) * 2 + store);
  }

  void body(unsigned depth, unsigned events) {
    for (unsigned i = 0; i < events; i++) {
      if (options_.threads > 1 && one_in(6))
        script_.thread = static_cast<std::uint32_t>(below(options_.threads));
      switch (below(10)) {
        case 0:
          if (depth < 3) loop(depth, events / 3);
          break;
        case 1:
        case 2: range(); break;
        case 3: memory(); break;
        default: {
          const bool store = one_in(2);
          const std::uint64_t w = width();
          const std::uint64_t a = address(one_in(5) ? 1 : (w && w < 16 ? w : 4));
          const auto group = static_cast<GroupId>(below(5));
          script_.access(store ? EventKind::store : EventKind::load, site(store), a,
                         w, group, static_cast<std::uint32_t>(below(3)),
                         group ? options_.origin : 0);
        }
      }
    }
  }

  void loop(unsigned depth, unsigned events) {
    const auto id = static_cast<LoopId>(1 + below(options_.loops));
    const std::uint32_t thread = script_.thread;
    script_.enter(id);
    const std::uint64_t n = 1 + below(8);
    for (std::uint64_t i = 0; i < n; i++) {
      script_.iterate(id);
      body(depth + 1, 1 + events);
      script_.thread = thread;
    }
    if (!one_in(10)) script_.exit(id);  // sometimes left by a jump
  }

  void memory() {
    static constexpr EventKind kinds[] = {EventKind::birth, EventKind::death,
                                          EventKind::local_birth,
                                          EventKind::external_store};
    script_.event(kinds[below(4)], address(4),
                  below(std::min<std::uint64_t>(options_.area / 3, one_in(9) ? 9000 : 300)));
  }

  void range() {
    Range r;
    r.count = 1 + below(options_.max_count);
    std::vector<RangeAccess> accesses;
    const std::uint64_t n = 1 + below(4);
    // Mostly one step for all, and addresses that differ by whole steps.
    static constexpr std::int64_t steps[] = {4, 8, 8, 16, -8, -4, 0, 12, 24, 1, 3, 2};
    const std::int64_t common = steps[below(std::size(steps))];
    const std::uint64_t common_width = width();
    const std::uint64_t start = address(4);
    std::vector<bool> used(options_.sites + 2);
    for (std::uint64_t i = 0; i < n; i++) {
      RangeAccess a{};
      a.store = one_in(2);
      a.site = site(a.store);
      if (used[a.site]) continue;
      used[a.site] = true;
      a.step = one_in(5) ? steps[below(std::size(steps))] : common;
      a.width = one_in(5) ? width() : common_width;
      a.count = one_in(3) ? r.count - 1 : r.count;
      a.address = one_in(4) ? address(1)
                            : start + static_cast<std::uint64_t>(
                                          a.step * (static_cast<std::int64_t>(below(7)) - 3));
      if (one_in(3)) a.address += below(3) * 4;
      a.group = static_cast<GroupId>(below(5));
      a.object = static_cast<std::uint32_t>(below(3));
      a.base = a.group ? options_.origin : 0;
      accesses.push_back(a);
    }
    if (accesses.empty()) return;
    const bool equal = std::ranges::all_of(
        accesses, [&](const RangeAccess& a) { return a.count == r.count; });
    const bool rows = equal && one_in(3);
    if (rows) {
      const std::uint64_t number = 2 + below(6);
      const std::int64_t length = common * static_cast<std::int64_t>(r.count);
      const std::int64_t row_steps[] = {length, length + 8, 0, 64, -length};
      const std::int64_t row_step = row_steps[below(std::size(row_steps))];
      for (RangeAccess& a : accesses) {
        a.rows = number;
        a.row_step = one_in(4) ? row_steps[below(std::size(row_steps))] : row_step;
      }
    }
    script_.range(static_cast<LoopId>(1 + below(options_.loops)), r.count, accesses,
                  rows ? static_cast<LoopId>(below(1 + options_.loops)) : 0);
  }

  std::mt19937_64 random_;
  Options options_;
  Script script_;
};

}  // namespace memprof::backend::testing
