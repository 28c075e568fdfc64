// range.h - affine accesses of a loop, described instead of listed.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A Range represents `count' iterations of a loop and for the accesses in them. Each
// RangeAccess has a first address and a step. The Range means exactly these events:
//
//     enter loop
//     for k in 0 .. count-1:
//       start an iteration
//       for each access a in order, if k < a.count:
//         access at a.address + k * a.step
//     exit loop
//
// A Range with `outer' describes a nest of two loops. It has `rows' rows, each of which is an
// iteration of the outer loop and contains the events above, with the accesses starting at
// a.address + r * a.row_step in row r. If `inside', the rows are only a part of the outer loop,
// and the events that enter and exit the outer loop are outside of this Range.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/backend/base/ids.h"

namespace memprof::backend {

// The size of a step in bytes, without its sign.
inline std::uint64_t magnitude(std::int64_t v) {
  return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
}

struct RangeAccess {
  std::uint64_t address;  // in iteration 0 of row 0
  std::int64_t step;      // bytes per iteration
  std::uint64_t count;    // executions in a row: the range's count, or one less
  std::uint64_t base;     // of the object that holds all of it; 0: unknown
  std::uint64_t width;
  SiteId site;
  GroupId group;
  std::uint32_t object;
  bool store;
  std::uint32_t range = 0;  // index of its Range
  std::uint32_t before = 0;  // see Range::per_iteration
  std::uint64_t rows = 1;
  std::int64_t row_step = 0;  // bytes per row
  std::uint32_t object_bytes = 0;  // see Object::short_size

  std::uint64_t executions() const { return count * rows; }
  // The bytes [low, high) that contain all its executions; it has at least one.
  struct Extent {
    __int128 low, high;
  };
  Extent extent() const {
    Extent e{address, static_cast<__int128>(address) + width};
    for (const auto& [distance, n] : {std::pair(step, count), {row_step, rows}}) {
      const __int128 whole = static_cast<__int128>(distance) * (n - 1);
      (distance < 0 ? e.low : e.high) += whole;
    }
    return e;
  }
  // A single wide access as a range over its words of BYTES bytes.
  RangeAccess in_words(std::uint64_t bytes) const {
    RangeAccess a = *this;
    a.count = width / bytes;
    a.width = bytes;
    a.step = static_cast<std::int64_t>(bytes);
    return a;
  }
  // Iteration K of all rows.
  RangeAccess column(std::uint64_t k) const {
    RangeAccess a = *this;
    a.address += k * static_cast<std::uint64_t>(step);
    a.count = rows;
    a.step = row_step;
    a.rows = 1;
    return a;
  }
  // All iterations of one row.
  RangeAccess row(std::uint64_t number) const {
    RangeAccess a = *this;
    a.address += number * static_cast<std::uint64_t>(row_step);
    a.rows = 1;
    return a;
  }
};

// The decoder guarantees: a site occurs once in a range; with several rows, all accesses have the
// range's count; all executions of a RangeAccess are in one object or all in none; no width reaches
// k_long_width. It expands what does not meet this.
struct Range {
  std::uint64_t count;       // iterations
  std::uint64_t first_time;  // of the first access
  LoopId loop;
  std::uint32_t first;       // index of its first RangeAccess in Batch::accesses
  std::uint32_t size;        // number of RangeAccess
  std::uint32_t thread = 0;
  std::uint64_t rows = 1;
  LoopId outer = 0;     // 0: there is no outer loop, and one row
  bool inside = false;  // the outer loop began before this Range or continues after it
  // Not 0: this Range is no event. A column refers to it: its only access was executed in each
  // block of a series of blocks with PER_ITERATION executions each, RangeAccess::before of which
  // come first. RangeAccess::store is then not set.
  std::uint32_t per_iteration = 0;

  // Whether the Range contains the entry and the exit of the outer loop.
  bool whole_outer() const { return outer != 0 && !inside; }
  // With several rows: the time at which a row begins.
  std::uint64_t row_time(std::uint64_t row) const { return first_time + row * count * size; }
};

}  // namespace memprof::backend
