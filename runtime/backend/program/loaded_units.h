// loaded_units.h - the loaded units: descriptors, dense ids, counters.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Descriptors are compiled once, when their unit is loaded (descriptor.h).
//
// How often something happened is counted per descriptor, not per entry: each
// entry of a block is executed once per record. The counts are spread to sites
// and loops when somebody asks.
//
// Sites and loops get dense numbers, one stretch per unit. A unit is one
// translation unit in one file; when a library is closed and opened again, the
// same unit goes on counting. Descriptors of an unloaded unit stay valid
// until another unit takes their addresses, because destructors that run
// after ours may still write records.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backend/base/sparse_table.h"
#include "runtime/backend/event/descriptor.h"
#include "runtime/backend/event/iteration_blocks.h"
#include "runtime/backend/event/site_type.h"
#include "runtime/backend/program/external_calls.h"
#include "runtime/backend/program/function_entries.h"
#include "runtime/backend/program/unit_image.h"

namespace memprof::backend {

// A translation unit and its dense numbers.
struct Unit {
  UnitImage image;
  SiteId first_site = 1;  // of row 0
  LoopId first_loop = 1;
  FunctionId first_function = 1;
  CalleeId first_callee = 1;
  std::size_t number = 0;  // in all()
  bool loaded = true;
};

struct LoopCounts {
  std::uint64_t invocations = 0, iterations = 0;
};

struct AllocSite {
  const Unit* unit;
  std::uint32_t row;
};

class LoadedUnits {
 public:
  LoadedUnits();

  // Null when there is no room for its ids.
  const Unit* load(UnitImage image);
  // Null when no such unit is loaded.
  const Unit* unload(std::uint64_t address);
  // A record MPRT_ENTRIES of the unit at ADDRESS; false: it has no such row.
  bool note_entries(std::uint64_t address, std::uint64_t when, std::uint64_t row, std::uint64_t counts);
  const FunctionEntries& entries() const { return entries_; }

  // The descriptor that a record with this header word refers to, or null.
  const CompiledDesc* find(std::uint64_t header) const {
    if (header >> k_address_bits) return nullptr;
    const std::uint32_t at = index_.get(header);
    if (!at) return nullptr;
    return reinterpret_cast<const CompiledDesc*>(&arena_[at]);
  }
  // To write a short range out; null if it cannot be.
  const IterationBlocks* iteration_blocks(const CompiledDesc& range) const {
    return range.iteration_blocks ? &iteration_blocks_[range.iteration_blocks - 1] : nullptr;
  }
  // The allocation site whose byte lies at ADDRESS; unit is null if none.
  AllocSite alloc_site(std::uint64_t address) const;

  std::size_t sites() const { return next_site_ - 1; }
  std::size_t loops() const { return next_loop_ - 1; }
  // May be asked by other threads about sites in events they were handed.
  bool store_p(SiteId site) const {
    return site < store_.capacity() && (store_[site] & k_store) != 0;
  }
  bool pointer_p(SiteId site) const {
    return site < store_.capacity() && (store_[site] & MPRT_SITE_POINTER) != 0;
  }
  // Where it is compiled; 0: of no unit.
  FunctionId function_of(SiteId site) const {
    return site < functions_.capacity() ? functions_[site] : 0;
  }
  SiteType type(SiteId site) const {
    return site < types_.capacity() ? types_[site] : SiteType{};
  }
  bool tells_p(SiteId site) const {
    return site < store_.capacity() && (store_[site] & MPRT_SITE_SAMPLED) != 0;
  }
  const std::vector<std::unique_ptr<Unit>>& all() const { return units_; }
  const Unit* unit_of_site(SiteId site) const;
  // As people call it.
  std::string function_name(FunctionId function) const;

  ExternalCalls& external_calls() { return external_calls_; }
  const ExternalCalls& external_calls() const { return external_calls_; }
  // Sites without events.
  const std::map<SiteId, CoveredSite>& covered_sites() const { return covered_sites_; }
  // The variable of the COVERED site belongs to GROUP.
  void set_group(SiteId covered, GroupId group) { covered_sites_[covered].group = group; }
  // SITE was executed COUNT times, which no number of records says.
  void add_executions(SiteId site, std::uint64_t count) {
    tallied_[site] += count;
    any_tally_ = true;
  }

  // By id; element 0 is unused.
  std::vector<std::uint64_t> site_executions() const;
  std::vector<LoopCounts> loop_counts() const;
  // Records of DESC follow.
  [[gnu::always_inline]] void note_use(const CompiledDesc& desc) {
    if (!desc.counts->noted) [[unlikely]] note_first_use(desc);
  }
  // What was executed since the last call, as far as the uses are noted: is added to
  // COUNTS, by SiteId and 0 before, and each such site to CHANGED. It costs little where
  // little has happened.
  void take_executions(std::vector<std::uint64_t>& counts, std::vector<SiteId>& changed);

 private:
  template <typename F>
  static void for_executions(const CompiledDesc& desc, const DescriptorCounts& counts,
                             const F& executed);
  Unit* adopt(UnitImage image);
  std::uint32_t record_number(const std::string& name, std::uint32_t bytes);
  void compile(const Unit& unit, const UnitImage::DescTable& table);
  CompiledDesc* new_descriptor(const Unit& unit, std::uint64_t header, std::size_t entry_bytes,
                               unsigned entries, unsigned values);
  struct AddressFrom {
    std::uint8_t word;
    std::uint64_t offset;
  };
  static AddressFrom address_from(const std::uint64_t* raw, std::uint64_t record_header);
  void compile_range(const Unit& unit, std::uint64_t header, std::uint64_t address,
                     const std::uint64_t* raw);
  void compile_block(const Unit& unit, std::uint64_t header, std::uint64_t address,
                     const std::uint64_t* raw);
  BlockEntry block_entry(const Unit& unit, CompiledDesc& desc, std::uint64_t w,
                         std::uint8_t word, std::uint64_t offset) const;
  void compile_nest(const Unit& unit, std::uint64_t header, const std::uint64_t* raw);
  void add_covered_sites(const Unit& unit, const std::uint64_t* raw, unsigned entries);
  [[gnu::noinline]] void note_first_use(const CompiledDesc& desc);
  CompiledDesc* add_descriptor(std::size_t entry_bytes);

  std::size_t most_sites_;  // of all units; the arrays by site have room for them
  SparseTable<std::uint32_t, 6> index_;  // descriptor address -> arena_
  SparseArray<std::uint64_t> arena_;
  std::size_t arena_used_ = 1;
  std::vector<std::uint32_t> descriptors_;  // all of them, in arena_
  std::deque<DescriptorCounts> counts_;
  // Those in use since take_executions(), and what all had been before, if it was called.
  std::vector<const CompiledDesc*> noted_;
  std::vector<DescriptorCounts> taken_;
  std::deque<IterationBlocks> iteration_blocks_;
  static constexpr std::uint8_t k_store = 1;
  static constexpr std::uint8_t k_kept_flags = MPRT_SITE_POINTER | MPRT_SITE_SAMPLED;
  static_assert((k_kept_flags & k_store) == 0);
  SparseArray<std::uint8_t> store_;  // by SiteId: k_store, k_kept_flags
  SparseArray<SiteType> types_;      // by SiteId
  SparseArray<FunctionId> functions_;  // by SiteId
  // The numbers of records, by name and size.
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> records_;
  std::vector<std::unique_ptr<Unit>> units_;
  FunctionEntries entries_;
  std::map<std::uint64_t, Unit*> loaded_;  // by address of struct mprt_unit
  std::map<std::uint64_t, Unit*> alloc_ranges_;  // by address of first byte
  std::map<SiteId, CoveredSite> covered_sites_;
  std::vector<std::uint64_t> tallied_;  // executions by SiteId
  std::vector<std::uint64_t> tallies_taken_;
  bool any_tally_ = false;
  SiteId next_site_ = 1;
  LoopId next_loop_ = 1;
  FunctionId next_function_ = 1;
  ExternalCalls external_calls_;
};

}  // namespace memprof::backend
