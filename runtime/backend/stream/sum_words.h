// sum_words.h - the words of a block of which some are sums of others.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     record      { header, &x[i], i }
//     words       { header, &x[i], i, &x[i + 1], &x[i + 2] }
//
// See runtime/wire/record.h.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/backend/event/descriptor.h"
#include "runtime/wire/record.h"

namespace memprof::backend {

class SumWords {
 public:
  // Of the record P, which may have none, with the header HEADER; until the next call.
  const std::uint64_t* of(const CompiledDesc& desc, const std::uint64_t* p,
                          std::uint64_t header) {
    if (!desc.sums) [[likely]] return p;
    const unsigned sent = desc.words - unsigned{desc.sums};
    words_[0] = (header & ~std::uint64_t{MPRT_LENGTH_MASK}) | desc.words;
    std::copy_n(p + 1, sent - 1, words_ + 1);
    for (unsigned i = 0; i < desc.sums; i++) words_[sent + i] = sum(desc.sum_words()[i]);
    return words_;
  }

 private:
  std::uint64_t sum(std::uint64_t w) const {
    const std::uint64_t index = words_[MPRT_SUM_INDEX(w)];
    const std::uint64_t mask = (std::uint64_t{1} << MPRT_SUM_BITS(w)) - 1;
    const std::uint64_t other =
        (index + static_cast<std::uint64_t>(std::int64_t{MPRT_SUM_ADDEND(w)})) & mask;
    return words_[MPRT_SUM_BASE(w)] + MPRT_SUM_SCALE(w) * (other - index);
  }

  std::uint64_t words_[MPRT_MAX_RECORD_WORDS];
};

}  // namespace memprof::backend
