// descriptor.h - descriptors of site records as the backend reads them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The module table compiles each descriptor (runtime/wire/record.h) into a flat
// array of entries that the decoder and the modules run through. Base word 0
// means an absolute address: word 0 of a record is its header, which is the
// same in every record of a descriptor, so the compiled offset is the address
// minus the header.
//
//     record      { header, q, p }
//     entries     load q + 8, load p + 16, store p + 16
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "runtime/backend/base/ids.h"

namespace memprof::backend {

enum class EventKind : std::uint8_t {
  load,
  store,
  external_store,   // address, width; no execution
  range,            // `index' into Batch::ranges
  loop_enter,       // index = LoopId; address = frame, or 0
  loop_iteration,   // index = LoopId; an execution of the loop header
  loop_exit,        // index = LoopId
  birth,            // address, width = bytes; index into Batch::targets
  death,            // the same
  local_birth,      // address, width: stack bytes without a writer
  thread_end,       // the thread's loop stack is gone
  loop_resume,      // index = LoopId or 0; address = frame: see record.h
  gap,              // the thread did things unseen: no writer, no last address, no
                    // loop is known; the last event of its batch
  thread,           // index = number of the thread of the events that follow
  block,            // a whole record: see Batch::block_of
  value,            // address = what the access before it moved; site, width
  function_enter,   // index = FunctionId; address = frame
  function_exit,    // index = FunctionId
  pointer,          // index = FunctionId; address = a pointer that it was passed as
                    // argument number `short_width', or returns (0)
  global_birth,     // as birth, of a variable of the program; its memory is older
  maybe_written,    // address, width; code that is not instrumented may have written there
  external_call     // of entries: `site' is the callee, see MPRT_OP_EXTERNAL_CALL
};

// An access, a stretch of memory that changes otherwise, or an event of a loop or
// a function; that is then named by `site', and `word' holds the frame if it is
// not 0.
struct BlockEntry {
  BlockEntry(std::uint64_t from_word, std::uint64_t bytes, SiteId of_site, std::uint8_t base,
             std::uint8_t length, EventKind what)
      : offset(from_word), width(bytes), site(of_site), word(base), length_word(length),
        kind(what), unit_shift(static_cast<std::uint8_t>(std::countr_zero(bytes | 8))) {}

  std::uint64_t offset;
  std::uint64_t width;
  SiteId site;
  std::uint8_t word;
  std::uint8_t length_word;  // 0: the width is static
  EventKind kind;
  std::uint8_t unit_shift;  // log2 of the largest power of two up to 8 that divides the width

  bool execution() const {
    return kind == EventKind::load || kind == EventKind::store;
  }
  bool function_event() const {
    return kind == EventKind::function_enter || kind == EventKind::function_exit;
  }
  // Its `site' names a function, too; `width' is the number of the argument.
  bool pointer() const { return kind == EventKind::pointer; }
  bool external_call() const { return kind == EventKind::external_call; }
  bool loop_event() const {
    return kind >= EventKind::loop_enter && kind <= EventKind::loop_exit;
  }
  // Of a loop event of this record.
  std::uint64_t frame(const std::uint64_t* words) const { return word ? words[word] : 0; }
};

// What the access number `entry' moved: word + offset.
struct ValueEntry {
  std::uint64_t offset;
  SiteId site;
  std::uint8_t word;
  std::uint8_t width;
  std::uint8_t entry;
};

struct RangeEntry {
  std::uint64_t offset;
  std::int64_t step;
  std::uint64_t width;
  std::uint64_t modulus;   // of the index, or 0: there is none
  SiteId site;
  std::uint8_t word;
  std::uint8_t length_word;
  std::uint8_t step_word;  // 0: the step is constant
  std::uint8_t minus;
  std::uint8_t index_word;
  bool store;

  // In the first iteration.
  std::uint64_t address(const std::uint64_t* words) const {
    return words[word] + offset + index(words);
  }
  std::uint64_t index(const std::uint64_t* words) const {
    return modulus ? words[index_word] : 0;
  }
};

// A word of the record in a nest, and by how much it moves.
struct NestEntry {
  std::int64_t step;
  std::uint8_t word;
  std::uint8_t step_word;  // of the whole record; 0: the step is constant
};

enum class CompiledKind : std::uint8_t {
  block,   // only accesses and births of locals of static width above 0 and loop events
  mixed,   // with lengths or widths of 0, external stores, long locals or function events
  range,
  loop_resume,
  tally,   // accesses that were counted in a loop: `length_word' is how often
  run,     // several executions of a block: run_records.h
  nest     // several executions of a range or a nest: nest_records.h
};

// A site without records of its own. Site BY reports for it: it is executed as often, in the
// same objects or, if there is an address, in the variable there.
struct CoveredSite {
  SiteId by;
  std::uint64_t address;
  GroupId group;  // of the variable
};

// Where an execution of a block goes: to an item of its site's column (batch.h).
struct ColumnEntry {
  std::uint64_t offset;
  SiteId site;
  std::uint32_t width;
  std::uint16_t time;  // executions of the record before it
  std::uint8_t word;
};

// What the decoder has seen of a descriptor.
struct DescriptorCounts {
  std::uint64_t records = 0;
  std::uint64_t iterations = 0;  // ranges and nests: sum of their counts
  std::uint64_t nonempty = 0;    // ranges with a count above 0
  bool noted = false;            // see LoadedUnits::note_use
  std::uint32_t taken = 0;       // number in LoadedUnits::taken_, if it was noted
};

// Its entries follow it in memory; those of a block are followed by values and columns. Modules
// of other threads read it all the time, so that it must not share a cache line with
// what the decoder writes all the time.
struct CompiledDesc {
  DescriptorCounts* counts;
  LoopId loop;
  std::uint16_t entries;
  std::uint8_t values;  // of blocks: ValueEntry after the entries
  std::uint8_t words;   // with sums
  CompiledKind kind;
  bool iteration;
  bool repeated_site;  // some site has several entries of a range or a run, or values
  // Of runs: words that advance by constants, after the header; of nests: that move.
  std::uint8_t common;
  // Of a range: see LoadedUnits::iteration_blocks; 0: none.
  std::uint32_t iteration_blocks;
  std::uint16_t executions;  // of a record of a block
  bool locals = false;     // of blocks: births of locals are among the entries
  std::uint16_t columns_at = 0;  // bytes from here to the columns
  std::uint64_t block_header = 0;  // of records of blocks; 0: it has another kind

  const BlockEntry* block_entries() const {
    return reinterpret_cast<const BlockEntry*>(this + 1);
  }
  const ValueEntry* value_entries() const {
    return reinterpret_cast<const ValueEntry*>(block_entries() + entries);
  }
  // For the decoder only: one for each execution, once write_columns() has been called.
  const ColumnEntry* column_entries() const {
    return reinterpret_cast<const ColumnEntry*>(reinterpret_cast<const char*>(this) + columns_at);
  }
  ColumnEntry* column_entries() {
    return const_cast<ColumnEntry*>(std::as_const(*this).column_entries());
  }
  void place_columns() {
    const auto* const place = reinterpret_cast<const char*>(value_entries() + values);
    columns_at = static_cast<std::uint16_t>(place - reinterpret_cast<const char*>(this));
  }
  // Of runs: whether WORD, which may be the header, moves by a constant.
  bool moves_by_constant(unsigned word) const { return word <= common; }
  // Of the common words.
  const std::int64_t* run_steps() const {
    return reinterpret_cast<const std::int64_t*>(column_entries() + entries);
  }
  // Of a block: whether all that a record says is accesses in an iteration of its own.
  bool plain_iteration() const { return iteration && entries != 0 && executions == entries; }
  const RangeEntry* range_entries() const {
    return reinterpret_cast<const RangeEntry*>(this + 1);
  }
  // A nest has no other entries: there are `common' of these.
  const NestEntry* nest_entries() const {
    return reinterpret_cast<const NestEntry*>(this + 1);
  }
};

// Writes the column entries of a block. There is room for one per entry after them.
void write_columns(CompiledDesc& desc);

}  // namespace memprof::backend
