// page_sizes.cc - which memory of the program lies in pages of 2 MB.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_sizes.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace memprof::backend {

namespace {

constexpr std::uint64_t k_huge_page = std::uint64_t{1} << PageSizes::k_huge_bits;
constexpr std::uint64_t k_first_question = 16;

// What smaps says of a mapping, in kB.
struct Mapping {
  std::uint64_t first = 0, last = 0, resident = 0, huge = 0, page = 0;

  bool huge_p() const { return page >= k_huge_page >> 10 || (huge != 0 && huge >= resident / 2); }
};

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> PageSizes::huge_areas(std::istream& smaps) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> areas;
  Mapping mapping;
  const auto end_mapping = [&] {
    const std::uint64_t first = (mapping.first + k_huge_page - 1) & ~(k_huge_page - 1);
    const std::uint64_t last = mapping.last & ~(k_huge_page - 1);
    if (mapping.huge_p() && first < last) areas.emplace_back(first, last);
  };
  for (std::string line; std::getline(smaps, line);) {
    unsigned long first, last, kilobytes;
    char name[64];
    if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &last) == 2) {
      end_mapping();
      mapping = {first, last};
    } else if (std::sscanf(line.c_str(), "%63[^:]: %lu kB", name, &kilobytes) == 2) {
      const std::string_view field = name;
      if (field == "Rss") mapping.resident = kilobytes;
      if (field == "KernelPageSize") mapping.page = kilobytes;
      if (field == "AnonHugePages" || field == "ShmemPmdMapped" || field == "FilePmdMapped")
        mapping.huge += kilobytes;
    }
  }
  end_mapping();
  return areas;
}

void PageSizes::ask(std::uint64_t parts) {
  next_ = std::max(parts + parts / 4, k_first_question);
  if (smaps_.empty()) return;
  std::ifstream file(smaps_);
  if (!file) return;
  const auto areas = huge_areas(file);
  known_ = true;
  constexpr std::uint64_t k_user = std::uint64_t{1} << k_address_bits;
  for (const auto& [first, last] : areas)
    for (std::uint64_t a = first; a < std::min(last, k_user); a += k_huge_page)
      if (std::uint32_t& number = numbers_.at(a); number == 0) number = ++pages_;
}

}  // namespace memprof::backend
