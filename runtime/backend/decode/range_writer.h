// range_writer.h - ranges that are one event, of one row or of several.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What modules do in closed form costs about the same for all rows as for one. Rows come from
//
//   nests      which say so themselves: nest()
//   records    that follow each other, of loops whose iterations the compiler could not count
//              before them: join()
//
//     for (start = 0; start < n; start += 2 * half)      iteration | range count 2, x
//       for (k = 0; k < half; k++)                       iteration | range count 2, x + 64
//         swap (x[start + k], x[start + k + half]);      iteration | range count 2, x + 128
//
//     becomes   iteration | range count 2, x | range of rows 2, count 2, x + 64, row step 64
//
// Short rows are worth it only if their iterations are apart (range_rows.h). Otherwise modules
// would look at each row by itself, which takes longer than its blocks do (iteration_blocks.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/backend/decode/object_resolver.h"
#include "runtime/backend/program/loaded_units.h"

namespace memprof::backend {

// What ENTRY does in the range record P.
RangeAccess range_access(const RangeEntry& entry, const std::uint64_t* p);
// Whether the index of ACCESS, which represents ENTRY and begins with FIRST, wraps around.
bool wraps_p(const RangeEntry& entry, const RangeAccess& access, __int128 first);

class RangeWriter {
 public:
  RangeWriter(LoadedUnits& units, BatchWriter& out, ObjectResolver& resolver,
              const StreamCounts& counts)
      : units_(units), out_(out), resolver_(resolver), counts_(counts) {}

  // Of the last accesses of the batch.
  void emit(const Range& range);
  // Emits the nest record P, which is whole, as one event. False: it cannot be, and nothing was
  // done.
  bool nest(const CompiledDesc& desc, const std::uint64_t* p);
  // Emits the records from P on that go on as the range DESC did, whose record BEFORE lies right
  // before them. How many words they take.
  std::size_t join(const CompiledDesc& desc, const std::uint64_t* before, const std::uint64_t* p,
                   const std::uint64_t* end);
  // The descriptor of a record in a nest that begins with HEADER; null: that is none.
  const CompiledDesc* inner_desc(std::uint64_t header);

 private:
  static constexpr std::uint64_t k_max_in_rows = 1 << 28;  // accesses of a range of several rows
  // Iterations of a row that is joined with others, and accesses of what they become.
  static constexpr std::uint64_t k_longest_joined = 65536, k_fewest_joined = 512;

  static std::uint64_t most_rows(const CompiledDesc& desc, std::uint64_t count);
  bool emit_rows(const CompiledDesc& desc, const std::uint64_t* p, const std::uint64_t* next,
                 std::uint64_t rows, LoopId around, bool inside);
  const CompiledDesc* mere_iteration(std::uint64_t header);

  LoadedUnits& units_;
  BatchWriter& out_;
  ObjectResolver& resolver_;
  const StreamCounts& counts_;
  std::size_t unjoined_ = 0;  // ranges to come that are no rows of those before them
};

}  // namespace memprof::backend
