// block.h - a block record: the events of one execution of a path of basic blocks.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The record has words; the descriptor says what they mean. So a Block costs the decoder nothing:
//
//     descriptor   iteration of loop 2; load 7 at word 1 + 8; store 8 at word 2
//     words        { header, 0x4000, 0x5000 }
//     events       an iteration of loop 2; load 7 of 0x4008; store 8 of 0x5000
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/backend/event/descriptor.h"

namespace memprof::backend {

// An iteration of desc.loop if desc.iteration, then the entries: loads, stores, births of locals,
// loop events, all of static width. Values of accesses are a second list, so that modules that do
// not need them do not read them.
struct Block {
  const CompiledDesc& desc;
  const std::uint64_t* words;

  std::span<const BlockEntry> entries() const {
    return {desc.block_entries(), desc.entries};
  }
  std::uint64_t address(const BlockEntry& e) const { return words[e.word] + e.offset; }
  std::span<const ValueEntry> values() const { return {desc.value_entries(), desc.values}; }
  std::uint64_t value(const ValueEntry& v) const { return words[v.word] + v.offset; }
};

// Consecutive blocks of one descriptor, whose words are consecutive, too.
struct BlockSeries {
  const CompiledDesc& desc;
  const std::uint64_t* words;
  std::size_t count;

  std::span<const BlockEntry> entries() const {
    return {desc.block_entries(), desc.entries};
  }
  // The step of entry E from each block to the next, if it is constant.
  std::optional<std::uint64_t> step(const BlockEntry& e) const {
    const std::uint64_t* word = words + e.word;
    const std::uint64_t step = count > 1 ? word[desc.words] - *word : 0;
    for (std::size_t i = 1; i < count; i++, word += desc.words)
      if (word[desc.words] - *word != step) return std::nullopt;
    return step;
  }
  // Calls fn(address) for entry E of each block.
  template <typename Fn>
  void for_each(const BlockEntry& e, Fn&& fn) const {
    const std::uint64_t* word = words + e.word;
    for (std::size_t i = 0; i < count; i++, word += desc.words) fn(*word + e.offset);
  }
};

}  // namespace memprof::backend
