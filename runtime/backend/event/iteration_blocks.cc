// iteration_blocks.cc - the iterations of a short range as block records.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/iteration_blocks.h"

#include <algorithm>
#include <new>

#include "runtime/wire/record.h"

namespace memprof::backend {

bool IterationBlocks::possible(const CompiledDesc& range) {
  const RangeEntry* e = range.range_entries();
  return range.entries < MPRT_MAX_RECORD_WORDS &&
         std::all_of(e, e + range.entries, [](const RangeEntry& entry) {
           return entry.width != 0 && !entry.length_word;
         });
}

IterationBlocks::IterationBlocks(const CompiledDesc& range)
    : whole_(compile(range, false)), last_(compile(range, true)) {}

IterationBlocks::Base IterationBlocks::base_of(const RangeEntry& e) {
  return {e.step_word ? 0 : e.step, e.modulus, e.word, e.step_word,
          e.modulus ? e.index_word : std::uint8_t{0}};
}

// A constant address stays an offset from word 0, the header.
unsigned IterationBlocks::word_of(const RangeEntry& entry) {
  const Base base = base_of(entry);
  if (base == Base{}) return 0;
  const auto it = std::find(bases_.begin(), bases_.end(), base);
  const auto word = static_cast<unsigned>(it - bases_.begin()) + 1;
  if (it == bases_.end()) bases_.push_back(base);
  return word;
}

// The block of the last iteration, or of those before it. Both have the same words.
std::vector<std::uint64_t> IterationBlocks::compile(const CompiledDesc& range, bool last) {
  std::vector<std::uint64_t> memory(
      (sizeof(CompiledDesc) + range.entries * (sizeof(BlockEntry) + sizeof(ColumnEntry))) /
      sizeof(std::uint64_t));
  auto* desc = new (memory.data()) CompiledDesc{};
  auto* entry = const_cast<BlockEntry*>(desc->block_entries());
  for (unsigned i = 0; i < range.entries; i++) {
    const RangeEntry& e = range.range_entries()[i];
    const auto word = static_cast<std::uint8_t>(word_of(e));
    if (last && e.minus) continue;
    *entry++ = {e.offset, e.width, e.site, word, 0,
                e.store ? EventKind::store : EventKind::load};
    desc->entries++;
  }
  desc->counts = &uncounted_;
  desc->loop = range.loop;
  desc->words = static_cast<std::uint8_t>(bases_.size() + 1);
  desc->kind = CompiledKind::block;
  desc->iteration = true;
  write_columns(*desc);
  return memory;
}

void IterationBlocks::words(const std::uint64_t* p, std::uint64_t k,
                            std::uint64_t* out) const {
  *out++ = p[0];
  for (const Base& b : bases_) {
    const auto step = b.step_word ? static_cast<std::int64_t>(p[b.step_word]) : b.step;
    if (!b.modulus) {
      *out++ = p[b.word] + k * static_cast<std::uint64_t>(step);
      continue;
    }
    const auto modulus = static_cast<__int128>(b.modulus);
    __int128 index = p[b.index_word] + static_cast<__int128>(step) * k;
    if (k != 0 && (index < 0 || index >= modulus)) {
      index %= modulus;
      if (index < 0) index += modulus;
    }
    *out++ = p[b.word] + static_cast<std::uint64_t>(index);
  }
}

}  // namespace memprof::backend
