// iteration_blocks.h - the iterations of a short range as block records.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What modules do in closed form costs the same for any number of iterations:
// about as much as eight iterations do one by one, with fft and all modules. Ranges
// of so few are therefore written out, as the block records that a program
// without ranges would have sent:
//
//     range         count 2, x; load 7 at x, step 8; store 8 at x + 4, step 8
//     written out   enter   { header, x }   { header, x + 8 }   exit
//                   with the block: iteration, load 7 at word 1, store 8 at
//                   word 1 + 4
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/backend/event/descriptor.h"

namespace memprof::backend {

class IterationBlocks {
 public:
  // Ranges of more iterations stay ranges.
  static constexpr std::uint64_t k_max_iterations = 8;

  // Whether the accesses of RANGE fit into a block: static widths, few words.
  static bool possible(const CompiledDesc& range);
  // Of a range for which that is so.
  explicit IterationBlocks(const CompiledDesc& range);
  IterationBlocks(const IterationBlocks&) = delete;

  // The block of iteration K of COUNT.
  const CompiledDesc& block(std::uint64_t k, std::uint64_t count) const {
    return *reinterpret_cast<const CompiledDesc*>(k + 1 < count ? whole_.data()
                                                                : last_.data());
  }
  // Its words, for the range record P.
  void words(const std::uint64_t* p, std::uint64_t k, std::uint64_t* out) const;

 private:
  // A word of the block: the address that entries of the range have in common,
  // but for their constant offsets.
  struct Base {
    std::int64_t step;
    std::uint64_t modulus;  // as in RangeEntry
    std::uint8_t word, step_word, index_word;

    bool operator==(const Base&) const = default;
  };
  static Base base_of(const RangeEntry& entry);
  unsigned word_of(const RangeEntry& entry);
  std::vector<std::uint64_t> compile(const CompiledDesc& range, bool last);

  std::vector<Base> bases_;  // of words 1..
  DescriptorCounts uncounted_;  // not read: the range has its own
  std::vector<std::uint64_t> whole_, last_;  // a CompiledDesc and its entries
};

}  // namespace memprof::backend
