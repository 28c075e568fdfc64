// numbered_descriptors.h - descriptors of blocks whose sites have other numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A library that counts by sites counts by calling contexts if a site has another number
// in each of them (context_sites.h). A block names its sites in its descriptor, so a copy
// of that is made for each context in which the block is executed:
//
//     descriptor     load 7, store 9
//     in context 1   load 1, store 2
//     in context 2   load 3, store 4
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/backend/event/batch.h"

namespace memprof::backend {

// One of one context.
class NumberedDescriptor {
 public:
  // ID (site, whether it is a store) is its number.
  template <typename Id>
  NumberedDescriptor(const CompiledDesc& desc, Id&& id)
      : words_((sizeof desc + desc.entries * sizeof(BlockEntry)) / sizeof(std::uint64_t)) {
    auto* copy = new (words_.data()) CompiledDesc(desc);
    copy->values = 0;
    auto* out = reinterpret_cast<BlockEntry*>(copy + 1);
    for (BlockEntry e : std::span(desc.block_entries(), desc.entries)) {
      if (e.execution()) e.site = id(e.site, e.kind == EventKind::store);
      *out++ = e;
    }
  }
  // The event of a block whose descriptor this represents.
  Event event(Event e) const {
    e.address = reinterpret_cast<std::uint64_t>(words_.data());
    return e;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// The numbered sites of all descriptors, by calling context.
class NumberedDescriptors {
 public:
  template <typename Id>
  const NumberedDescriptor& of(const CompiledDesc& desc, std::uint32_t context, Id&& id) {
    // A constant size: this is done for each record, and must not divide.
    Recent& recent = recent_[(reinterpret_cast<std::uintptr_t>(&desc) / 16 + context * 37u) %
                             k_recent];
    if (recent.desc != &desc || recent.context != context) [[unlikely]] {
      auto& numbered = all_[&desc][context];
      if (!numbered) numbered = std::make_unique<NumberedDescriptor>(desc, id);
      recent = {&desc, context, numbered.get()};
    }
    return *recent.numbered;
  }

 private:
  struct Recent {
    const CompiledDesc* desc = nullptr;
    std::uint32_t context = 0;
    const NumberedDescriptor* numbered = nullptr;
  };
  std::unordered_map<const CompiledDesc*,
                     std::unordered_map<std::uint32_t, std::unique_ptr<NumberedDescriptor>>> all_;
  static constexpr std::size_t k_recent = 1 << 12;
  std::vector<Recent> recent_ = std::vector<Recent>(k_recent);
};

}  // namespace memprof::backend
