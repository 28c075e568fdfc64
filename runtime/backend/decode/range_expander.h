// range_expander.h - range records, and nests of them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A range stays one event if each of its accesses lies in one object, or all of it in none
// (RangeWriter). Otherwise it is written out iteration by iteration, and a nest that is not one
// event is written out range by range. Both may fill a batch, and go on in the next one:
//
//     record   range count 5000 over two objects
//     batch 1  enter, iteration, load, iteration, load, ...       expand() stops
//     batch 2  iteration, load, ..., exit                         go_on() first
//
// A range of few iterations is written out as blocks at once (iteration_blocks.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/backend/decode/block_decoder.h"
#include "runtime/backend/decode/range_writer.h"
#include "runtime/backend/stream/nest_records.h"

namespace memprof::backend {

class RangeExpander {
 public:
  RangeExpander(LoadedUnits& units, BatchWriter& out, ObjectResolver& resolver,
                BlockDecoder& blocks, RangeWriter& writer, StreamCounts& counts)
      : units_(units), out_(out), resolver_(resolver), blocks_(blocks), writer_(writer),
        counts_(counts) {
    nests_.reserve(k_max_nests);
  }

  void range(const CompiledDesc& desc, const std::uint64_t* p);
  void nest(const CompiledDesc& desc, const std::uint64_t* p, std::uint32_t thread) {
    nest_thread_ = thread;
    begin_nest(desc, p);
  }
  // Accesses that a loop has counted: each as a range of one access that stays where it is.
  void tally(const CompiledDesc& desc, const std::uint64_t* p);

  // A range is being written out; a range or a nest is.
  bool expanding() const { return expansion_.left != 0; }
  bool busy() const { return expanding() || !nests_.empty(); }
  // Goes on with that until the batch is full or something has ended.
  void go_on() {
    if (expanding())
      expand();
    else
      next_of_nest();
  }

 private:
  // The index of an access of a range; modulus 0: it has none.
  struct Wrap {
    std::uint64_t index, modulus;
  };
  struct Expansion {  // a range that is being written out
    std::vector<RangeAccess> accesses;
    std::vector<Wrap> wraps;  // of the accesses
    std::uint64_t k = 0, count = 0;
    std::uint64_t left = 0;  // iterations, and the exit
    LoopId loop = 0;
    std::uint32_t thread = 0;
  };

  void short_range(const CompiledDesc& desc, const std::uint64_t* p);
  void one_iteration(const CompiledDesc& desc, const std::uint64_t* p);
  void start_expansion(std::size_t first, std::uint64_t count, const CompiledDesc& desc,
                       const std::uint64_t* p);
  void expand();
  void begin_nest(const CompiledDesc& desc, const std::uint64_t* p);
  void next_of_nest();

  LoadedUnits& units_;
  BatchWriter& out_;
  ObjectResolver& resolver_;
  BlockDecoder& blocks_;
  RangeWriter& writer_;
  StreamCounts& counts_;
  Expansion expansion_;
  std::vector<NestRecords> nests_;  // that are being written out, outer ones first
  std::uint32_t nest_thread_ = 0;
};

}  // namespace memprof::backend
