// block_decoder.h - block records, runs of them, and single accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A block record takes the decoder's hottest path: an item for each of its executions
// (column_writer.h), an event, its words. Such records mostly follow each other, so one loop takes
// all that do:
//
//     stream   block 7 | block 7 | block 9 | block 7 | range     blocks() takes four
//
// An execution that goes to another object than the last one of its site, or has no room in its
// chunk, ends that path for the rest of its record (rest_of_block). Where nearly all do, as in
// programs that walk over nodes, the loop expects it (Items::wandering). Addresses where no
// memory is have a path of their own (odd_block). Where no module reads columns, there are no
// items (Items::none).
//
// Everything that a descriptor implies (executions of sites, iterations of loops) is counted once
// per record (loaded_units.h).
//
// Runs are written column by column if each site stays with its object; otherwise block by block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/backend/decode/object_resolver.h"
#include "runtime/backend/program/loaded_units.h"

namespace memprof::backend {

class BlockDecoder {
 public:
  // How far ahead of the decoder the stream is fetched; measured best: 2 KB.
  static constexpr std::size_t k_prefetch_words = 256;

  BlockDecoder(LoadedUnits& units, BatchWriter& out, ObjectResolver& resolver,
               StreamCounts& counts)
      : units_(units), out_(out), resolver_(resolver), counts_(counts) {}

  // The block records from P on that follow each other, as long as the batch is not full: where
  // they end. The first one is whole, and has HEADER and DESC.
  const std::uint64_t* blocks(const CompiledDesc* desc, std::uint64_t header,
                              const std::uint64_t* p, const std::uint64_t* end) {
    return !resolver_.keeps_columns() ? blocks<Items::none>(desc, header, p, end)
           : resolver_.wanders()      ? blocks<Items::wandering>(desc, header, p, end)
                                      : blocks<Items::steady>(desc, header, p, end);
  }
  // One block with the words P.
  void block(const CompiledDesc& desc, const std::uint64_t* p);
  // A block of which some entry has no static width or is no access.
  void external_call(const BlockEntry& e, std::uint64_t address);
  void mixed_block(const CompiledDesc& desc, const std::uint64_t* p);
  void run(const CompiledDesc& desc, const std::uint64_t* p, std::uint64_t header);

  // One access of WIDTH > 0 bytes; what touches nothing; what touches no memory that there is.
  void access(SiteId site, std::uint64_t address, std::uint64_t width, EventKind kind);
  void nothing(SiteId site, std::uint64_t address, EventKind kind);
  void beyond(SiteId site, std::uint64_t address, EventKind kind);

 private:
  static constexpr std::size_t k_shortest_part = 4;  // of a run

  // What the executions of blocks have in columns.
  enum class Items {
    none,      // there are no columns
    steady,
    wandering  // most go to another object than the last one of their site
  };
  template <Items items>
  const std::uint64_t* blocks(const CompiledDesc* desc, std::uint64_t header,
                              const std::uint64_t* p, const std::uint64_t* end);
  const CompiledDesc* find_block(std::uint64_t header);
  static const ColumnEntry* put_items(const CompiledDesc& desc, const std::uint64_t* p,
                                      Columns::State* states, std::uint32_t time,
                                      std::uint32_t epoch);
  const ColumnEntry* put_each(const CompiledDesc& desc, const std::uint64_t* p,
                              const ColumnEntry* c, std::uint32_t time, std::uint32_t epoch);
  void whole_block(const CompiledDesc& desc, const std::uint64_t* p);
  void rest_of_block(const CompiledDesc& desc, const std::uint64_t* p, const ColumnEntry* c);
  void odd_block(const CompiledDesc& desc, const std::uint64_t* p, const ColumnEntry* done);
  void block_alone(const CompiledDesc& desc, const std::uint64_t* p);
  void write_out(const CompiledDesc& desc, const std::uint64_t* p);
  void value_of(const CompiledDesc& desc, const BlockEntry* e, const std::uint64_t* p);
  bool put_columns(const BlockSeries& run);
  bool stays(const BlockSeries& run, const ColumnEntry& c) const;
  void put_part(const BlockSeries& run, const ColumnEntry& c, Columns::State& s);

  LoadedUnits& units_;
  BatchWriter& out_;
  ObjectResolver& resolver_;
  StreamCounts& counts_;
};

}  // namespace memprof::backend
