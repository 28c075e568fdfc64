// run_records.h - the executions of a run, as the block records that they represent.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     run, one common word, step 8    { D | 5, v, x1, x2, x3 }
//     as blocks                       { D | 3, v, x1 }  { D | 3, v + 8, x2 }
//                                     { D | 3, v + 16, x3 }
//
// See runtime/wire/record.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/backend/event/descriptor.h"
#include "runtime/wire/record.h"

namespace memprof::backend {

class RunRecords {
 public:
  // Words of all its blocks, at most: with n common words there are 62 - n
  // executions of n + 2 words.
  static constexpr std::size_t k_max_words = 32 * 32;

  // Executions in a record of DESC, of whatever kind, with WORDS words; 0: it makes
  // no sense.
  static std::size_t executions(const CompiledDesc& desc, std::size_t words) {
    if (desc.words == words) return 1;
    if (desc.kind != CompiledKind::run) return 0;
    const std::size_t first = 1u + desc.common, own = desc.words - first;
    return words < desc.words || (words - first) % own ? 0 : (words - first) / own;
  }

  // Of the record P with the header HEADER, which makes sense.
  RunRecords(const CompiledDesc& desc, const std::uint64_t* p, std::uint64_t header)
      : desc_(desc), next_(p + 1 + desc.common), end_(p + (header & MPRT_LENGTH_MASK)) {
    words_[0] = (header & ~std::uint64_t{MPRT_LENGTH_MASK}) | desc.words;
    std::copy_n(p + 1, desc.common, words_ + 1);
    std::copy_n(next_, own(), words_ + 1 + desc.common);
  }
  bool left() const { return next_ < end_; }
  // Those that are left.
  std::size_t count() const { return static_cast<std::size_t>(end_ - next_) / own(); }
  // Writes the words of those that are left, desc.words for each.
  void write(std::uint64_t* out) const {
    const std::size_t n = count(), words = desc_.words;
    for (unsigned w = 0; w <= desc_.common; w++) {
      const std::uint64_t step = w == 0 ? 0 : static_cast<std::uint64_t>(desc_.run_steps()[w - 1]);
      std::uint64_t word = words_[w];
      for (std::size_t i = 0; i < n; i++, word += step) out[i * words + w] = word;
    }
    for (std::size_t w = 1u + desc_.common; w < words; w++) {
      const std::uint64_t* word = next_ + (w - 1u - desc_.common);
      for (std::size_t i = 0; i < n; i++, word += own()) out[i * words + w] = *word;
    }
  }
  const std::uint64_t* words() const { return words_; }
  void advance() {
    next_ += own();
    if (!left()) return;
    for (unsigned i = 0; i < desc_.common; i++)
      words_[1 + i] += static_cast<std::uint64_t>(desc_.run_steps()[i]);
    std::copy_n(next_, own(), words_ + 1 + desc_.common);
  }

 private:
  std::size_t own() const { return desc_.words - 1u - desc_.common; }

  const CompiledDesc& desc_;
  const std::uint64_t *next_, *end_;
  std::uint64_t words_[MPRT_MAX_RECORD_WORDS];
};

}  // namespace memprof::backend
