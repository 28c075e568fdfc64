// align.h - which access sites of a function are those of its changed version.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A changed function has another checksum, so nothing of it is found by identity.  Most
// of its sites are still there, in the same order, among others that came or went:
//
//     before   load a[i]   store s->sum   load b[i]
//     after    load a[i]   load t         store s->sum   load b[i]
//     aligned  0-0                        1-2            2-3
//
// The alignment is the heaviest common subsequence.  Two sites can be one when kind, width,
// base and field agree as far as they are known, and the expression or the field is the
// same; a pair weighs more the more of expression, field and relative line agree.
//
// Where the heaviest alignment is not the only one, a pair that not all of them have is
// marked: of three equal loads of which one was deleted, it is not known which.
//
//     before   load x   load x   load x   store y
//     after    load x   load x            store y
//     aligned  0-0 ?    1-1 ?             3-2
//
// In functions too large for a table of all pairs (k_most_cells), the sites that occur once
// on each side come first, the longest sequence of them that rises on both sides; then what
// lies between two of them, as above. A gap that is still too large stays unaligned.
//
// It does not follow code that was moved past other code, nor a renamed variable without a
// field. After LLVM's stale profile matching (Ayupov, Panchenko and Pupyrev, CC 2024, align
// blocks by hashes of growing detail; SampleProfileMatcher.cpp aligns calls by the longest
// common subsequence). Unique lines first: patience diff (Bram Cohen).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// What is known of a site from the outside; the views must outlive the call.
struct SiteShape {
  Access kind = Access::load;
  std::uint32_t width = 0;
  std::uint8_t base = 0;  // kind of the base address, numbered by the caller; 0: unknown
  std::string_view expression, type, field;
  std::int64_t line = 0;  // counted from the function's first line
};

struct AlignedPair {
  std::size_t a = 0, b = 0;
  bool certain = true;  // every heaviest alignment has it

  bool operator==(const AlignedPair&) const = default;
};

// Rows times columns of a table of all pairs: some 10 MB, some 10 ms.
inline constexpr std::size_t k_most_cells = 1'000'000;

// Pairs of positions in A and B, rising in both.
std::vector<AlignedPair> align(std::span<const SiteShape> a, std::span<const SiteShape> b,
                               std::size_t most_cells = k_most_cells);

// The executed sites of FUNCTION, in its order; a site from another file keeps its line.
std::vector<SiteShape> site_shapes(const Function& function);

}  // namespace memprof::feedback
