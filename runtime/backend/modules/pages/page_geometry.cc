// page_geometry.cc - the TLB of the machine, and as text.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/page_geometry.h"

#include "runtime/backend/modules/cache_model.h"

#include <algorithm>

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

}  // namespace

PageGeometry machine_pages() {
  const CacheGeometry caches = machine_geometry();
  PageGeometry g;
  g.llc = caches.llc;
  g.line = caches.line;
  read_tlbs(g);
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
