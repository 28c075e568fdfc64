// twin_descriptors.h - what the engines of all kinds of dependence are told.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An engine (dependence_engine.h) finds which store wrote what a load reads, in
// closed form for ranges. All kinds of dependence are that question, asked of two
// engines that are told other things than what happened:
//
//     happens      the engine of writers     the engine of readers
//     load L       load L                    store L
//     store S      load S, store S           load S, store S
//
// In the first, L reads what a store wrote: RAW; S what a store wrote: WAW. In the
// second, S reads what L "wrote", its last reader: WAR; and S takes the place of the
// readers, so what reads an S there is no dependence.
//
// Sites may have other numbers in the engines (Sites::id), which is how calling
// contexts get in.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/backend/batch.h"

namespace memprof::backend {

enum class Twin { writers, readers };

// One descriptor of a block, for one of the engines.
class TwinDescriptor {
 public:
  // ID (site, whether it is a store) is its number in the engines.
  template <typename Id>
  TwinDescriptor(const CompiledDesc& desc, Twin twin, Id&& id)
      : words_((sizeof desc + 2 * desc.entries * sizeof(BlockEntry)) / sizeof(std::uint64_t)) {
    auto* copy = new (words_.data()) CompiledDesc(desc);
    copy->values = 0;
    copy->entries = 0;
    auto* out = reinterpret_cast<BlockEntry*>(copy + 1);
    const auto say = [&](const BlockEntry& e) { out[copy->entries++] = e; };
    for (BlockEntry e : std::span(desc.block_entries(), desc.entries)) {
      if (e.execution()) {
        const bool store = e.kind == EventKind::store;
        e.site = id(e.site, store);
        if (store) {
          e.kind = EventKind::load;
          say(e);
        }
        if (store || twin == Twin::readers) e.kind = EventKind::store;
      }
      say(e);
    }
  }
  // The event of a block whose descriptor this stands for.
  Event event(Event e) const {
    e.address = reinterpret_cast<std::uint64_t>(words_.data());
    return e;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Those of all descriptors, by calling context.
class TwinDescriptors {
 public:
  explicit TwinDescriptors(Twin twin) : twin_(twin) {}

  template <typename Id>
  const TwinDescriptor& of(const CompiledDesc& desc, std::uint32_t context, Id&& id) {
    // A constant size: this is done for each record, and must not divide.
    Recent& recent = recent_[(reinterpret_cast<std::uintptr_t>(&desc) / 16 + context * 37u) %
                             k_recent];
    if (recent.desc != &desc || recent.context != context) [[unlikely]] {
      auto& twin = twins_[&desc][context];
      if (!twin) twin = std::make_unique<TwinDescriptor>(desc, twin_, id);
      recent = {&desc, context, twin.get()};
    }
    return *recent.twin;
  }

 private:
  struct Recent {
    const CompiledDesc* desc = nullptr;
    std::uint32_t context = 0;
    const TwinDescriptor* twin = nullptr;
  };
  const Twin twin_;
  std::unordered_map<const CompiledDesc*,
                     std::unordered_map<std::uint32_t, std::unique_ptr<TwinDescriptor>>> twins_;
  static constexpr std::size_t k_recent = 1 << 12;
  std::vector<Recent> recent_ = std::vector<Recent>(k_recent);
};

// The only range of BATCH becomes what an engine is told of RANGE.
template <typename Id>
void twin_range(const Batch& from, const Range& range, Twin twin, Id&& id, Batch& batch) {
  batch.ranges.assign(1, range);
  batch.accesses.clear();
  for (RangeAccess a : from.accesses_of(range)) {
    const bool store = a.store;
    a.site = id(a.site, store);
    a.range = 0;
    if (store) {
      a.store = false;
      batch.accesses.push_back(a);
    }
    a.store = store || twin == Twin::readers;
    batch.accesses.push_back(a);
  }
  batch.ranges[0].first = 0;
  batch.ranges[0].size = static_cast<std::uint32_t>(batch.accesses.size());
}

}  // namespace memprof::backend
