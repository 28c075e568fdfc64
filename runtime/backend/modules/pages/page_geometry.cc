// page_geometry.cc - the TLB of the machine, and as text.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_geometry.h"

#include "runtime/backend/modules/cache_model.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace memprof::backend {

namespace {

// Of a level that takes any entry anywhere: as many ways as it has entries.
constexpr std::uint32_t k_most_ways = 1 << 20;

constexpr GeometryField<PageGeometry> k_fields[] = {
    {"L1TLB", &PageGeometry::small, nullptr},   {"HUGETLB", &PageGeometry::huge, nullptr},
    {"L2TLB", &PageGeometry::second, nullptr},  {"sizes", nullptr, &PageGeometry::second_sizes},
    {"PDE", nullptr, &PageGeometry::pde},       {"PDPTE", nullptr, &PageGeometry::pdpte},
    {"PML4E", nullptr, &PageGeometry::pml4e},   {"LLC", &PageGeometry::llc, nullptr},
    {"line", nullptr, &PageGeometry::line},     {"sample", nullptr, &PageGeometry::sample},
    {"window", nullptr, &PageGeometry::window}};

// Intel Xeon E5504, with the last level of one socket; what is looked at stays as in G.
PageGeometry nehalem(PageGeometry g) {
  g.small = {64, 4};
  g.huge = {32, 4};
  g.second = {512, 4};
  g.second_sizes = 1;
  g.pde = 32;
  g.pdpte = 4;
  g.pml4e = 2;
  g.llc = {4 << 20, 16};
  g.line = 64;
  return g;
}

#if defined(__x86_64__)

// Leaf 18H: one TLB each.
void ask_intel(PageGeometry& g) {
  unsigned a, b, c, d;
  if (!__get_cpuid_count(0x18, 0, &a, &b, &c, &d)) return;
  for (unsigned i = 0, last = std::min(a, 32u); i <= last; i++) {
    if (!__get_cpuid_count(0x18, i, &a, &b, &c, &d)) return;
    const unsigned type = d & 31, level = d >> 5 & 7, ways = b >> 16;
    const bool data = type == 1 || type == 3, small = b & 1, huge = b & 2;
    if (!data || ways == 0 || c == 0) continue;
    const CacheLevel size = {std::uint64_t{c} * ways, ways};
    if (level == 1 && small) g.small = size;
    if (level == 1 && huge && !small) g.huge = size;
    if (level == 2 && small) {
      g.second = size;
      g.second_sizes = huge ? 2 : 1;
    }
  }
}

// Leaves 80000005H and 80000006H: entries of data TLBs; how many ways a code says.
void ask_amd(PageGeometry& g) {
  static constexpr std::uint32_t k_ways[] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
  unsigned a, b, c, d;
  const auto level = [](unsigned entries, unsigned ways) {
    if (ways == 0 || ways > entries || entries % ways != 0) ways = entries;  // anywhere
    return CacheLevel{entries, ways};
  };
  if (__get_cpuid(0x80000005, &a, &b, &c, &d)) {
    if (const unsigned entries = b >> 16 & 0xff) g.small = level(entries, b >> 24 & 0xff);
    if (const unsigned entries = a >> 16 & 0xff) g.huge = level(entries, a >> 24 & 0xff);
  }
  if (!__get_cpuid(0x80000006, &a, &b, &c, &d)) return;
  if (const std::uint32_t entries = amd_second_tlb()) {
    g.second = level(entries, k_ways[b >> 28]);
    g.second_sizes = (a >> 16 & 0xfff) != 0 ? 2 : 1;
  }
}

#endif

}  // namespace

PageGeometry machine_pages() {
  const CacheGeometry caches = machine_geometry();
  PageGeometry g;
  g.llc = caches.llc;
  g.line = caches.line;
#if defined(__x86_64__)
  unsigned a, b, c, d;
  if (__get_cpuid(0, &a, &b, &c, &d)) {
    if (b == signature_INTEL_ebx)
      ask_intel(g);
    else
      ask_amd(g);
  }
#endif
  return g;
}

bool parse_geometry(std::string_view text, PageGeometry& geometry) {
  constexpr std::string_view preset = "nehalem";
  PageGeometry changed = geometry;
  if (text == preset || text.starts_with(std::string(preset) + ',')) {
    changed = nehalem(geometry);
    text.remove_prefix(std::min(preset.size() + 1, text.size()));
  }
  if (!parse_fields<PageGeometry>(text, k_fields, k_most_ways, changed) || !line_p(changed.line))
    return false;
  geometry = changed;
  return true;
}

std::string geometry_text(const PageGeometry& geometry) {
  return fields_text<PageGeometry>(k_fields, geometry);
}

}  // namespace memprof::backend
