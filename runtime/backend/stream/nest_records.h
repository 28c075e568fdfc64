// nest_records.h - the executions of the inner loop of a nest, as the records that they
// represent.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     nest, word 2 of the inner record moves by 800    { N | 5, 3, R | 3, 100, p }
//     as ranges                                        { R | 3, 100, p }
//                                                      { R | 3, 100, p + 800 }
//                                                      { R | 3, 100, p + 1600 }
//
// The inner record may be a nest itself. See runtime/wire/record.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/backend/event/descriptor.h"
#include "runtime/wire/record.h"

namespace memprof::backend {

class NestRecords {
 public:
  // Whether the record P of DESC, which has its length, holds another one, or 0.
  static bool whole_p(const CompiledDesc& desc, const std::uint64_t* p) {
    if (p[MPRT_NEST_INNER] == 0) return true;
    const std::size_t inner = p[MPRT_NEST_INNER] & MPRT_LENGTH_MASK;
    return inner >= 2 && MPRT_NEST_INNER + inner <= desc.words &&
           std::ranges::all_of(moves_of(desc),
                               [inner](const NestEntry& e) { return e.word < inner; });
  }

  // Of the record P, for which that is so.
  NestRecords(const CompiledDesc& desc, const std::uint64_t* p) : desc_(&desc), left_(p[1]) {
    std::copy_n(p + MPRT_NEST_INNER, desc.words - MPRT_NEST_INNER, words_.begin());
    std::size_t i = 0;
    for (const NestEntry& e : moves_of(desc))
      steps_[i++] = e.step_word ? p[e.step_word] : static_cast<std::uint64_t>(e.step);
  }
  const CompiledDesc& desc() const { return *desc_; }
  // How many executions there are to come.
  std::uint64_t left() const { return left_; }
  void end() { left_ = 0; }
  // The record of the next one, or 0.
  const std::uint64_t* words() const { return words_.data(); }
  void advance() {
    left_--;
    std::size_t i = 0;
    for (const NestEntry& e : moves_of(*desc_)) words_[e.word] += steps_[i++];
  }

 private:
  static std::span<const NestEntry> moves_of(const CompiledDesc& desc) {
    return {desc.nest_entries(), desc.common};
  }

  const CompiledDesc* desc_;
  std::uint64_t left_;
  std::array<std::uint64_t, MPRT_MAX_RECORD_WORDS> words_, steps_;
};

}  // namespace memprof::backend
