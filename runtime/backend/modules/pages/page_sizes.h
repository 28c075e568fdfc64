// page_sizes.h - which memory of the program lies in pages of 2 MB.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernel decides that when a page is touched first, and says in /proc/PID/smaps of each
// mapping how much of it is there (Rss) and how much of that lies in huge pages. Where these are
// more than half, the 2 MB that lie wholly in the mapping count as huge pages.
//
//     7f12a0000000-7f12b0000000 rw-p ...
//     Rss:              262144 kB
//     AnonHugePages:    262144 kB           128 huge pages
//
// It is asked again when the program has touched a quarter more pages, so that all questions
// together cost little; memory that is touched between two questions counts as pages of 4 KB.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backend/base/sparse_table.h"

namespace memprof::backend {

class PageSizes {
 public:
  static constexpr int k_huge_bits = 21;

  // SMAPS is the file, or empty where there is none.
  explicit PageSizes(std::string smaps) : smaps_(std::move(smaps)) {}

  // How many parts of its memory the program has touched.
  void touched(std::uint64_t parts) {
    if (parts >= next_) ask(parts);
  }
  // The number of the huge page at ADDRESS, from 1; 0: it is none.
  std::uint32_t huge_page(std::uint64_t address) const {
    return pages_ == 0 ? 0 : numbers_.get(address);
  }
  // Whether the kernel has answered.
  bool known() const { return known_; }

  // Addresses [first, last) of each stretch of huge pages, from the text of smaps.
  static std::vector<std::pair<std::uint64_t, std::uint64_t>> huge_areas(std::istream& smaps);

 private:
  void ask(std::uint64_t parts);

  std::string smaps_;
  std::uint64_t next_ = 1;
  bool known_ = false;
  std::uint32_t pages_ = 0;
  SparseTable<std::uint32_t, k_huge_bits> numbers_;
};

}  // namespace memprof::backend
