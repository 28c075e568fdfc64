// cache_model.cc - sizes of the machine's caches, and as text.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/cache_model.h"

namespace memprof::backend {

namespace {

// Where the machine does not say: usual for processors of about 2020.
constexpr CacheLevel k_l1 = {32 << 10, 8}, k_l2 = {1 << 20, 16},
                     k_llc = {32 << 20, 16}, k_tlb = {1536, 12};
constexpr std::uint32_t k_max_ways = 64;

constexpr GeometryField<CacheGeometry> k_fields[] = {
    {"L1", &CacheGeometry::l1, nullptr},
    {"L2", &CacheGeometry::l2, nullptr},
    {"LLC", &CacheGeometry::llc, nullptr},
    {"TLB", &CacheGeometry::tlb, nullptr},
    {"line", nullptr, &CacheGeometry::line},
    {"sample", nullptr, &CacheGeometry::sample},
    {"window", nullptr, &CacheGeometry::window}};

}  // namespace

CacheGeometry machine_geometry(const std::string& folder) {
  CacheGeometry g;
  g.l1 = read_cache(folder, 1, k_l1, k_max_ways);
  g.l2 = read_cache(folder, 2, k_l2, k_max_ways);
  g.llc = read_cache(folder, 3, k_llc, k_max_ways);
  g.tlb = read_last_tlb(k_tlb, k_max_ways);
  if (const std::uint64_t line = read_line_bytes(); line != 0 && line_p(line))
    g.line = static_cast<std::uint32_t>(line);
  return g;
}

bool parse_geometry(std::string_view text, CacheGeometry& geometry) {
  CacheGeometry changed = geometry;
  if (!parse_fields<CacheGeometry>(text, k_fields, k_max_ways, changed) || !line_p(changed.line))
    return false;
  geometry = changed;
  return true;
}

CacheGeometry geometry_for(const ProgramInfo& program) {
  CacheGeometry g = machine_geometry();
  const std::string_view sizes = program.option("cache");
  if (!parse_geometry(sizes, g))
    program.note("cache=" + std::string(sizes) + " makes no sense; modelling this machine's caches");
  return g;
}

std::string geometry_text(const CacheGeometry& geometry) {
  return fields_text<CacheGeometry>(k_fields, geometry);
}

std::string sizes_text(const CacheGeometry& geometry) {
  const std::string text = geometry_text(geometry);
  return text.substr(0, text.find(",line="));
}

}  // namespace memprof::backend
