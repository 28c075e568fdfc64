// cache_model.cc - sizes of the machine's caches, and as text.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/cache_model.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace memprof::backend {

namespace {

// Where the machine does not say: usual for processors of about 2020.
constexpr CacheLevel k_l1 = {32 << 10, 8}, k_l2 = {1 << 20, 16},
                     k_llc = {32 << 20, 16}, k_tlb = {1536, 12};
constexpr std::uint32_t k_max_ways = 64;

// What the kernel says of the cache of LEVEL, of data, in FOLDER. Not sysconf(3): of some
// AMD processors that gives the last level of all their parts together.
CacheLevel system_level(const std::string& folder, int level, CacheLevel otherwise) {
  const auto read = [&folder](int index, const char* name, auto& value) {
    std::ifstream file(folder + "/index" + std::to_string(index) + "/" + name);
    return static_cast<bool>(file >> value);
  };
  for (int index = 0, number; read(index, "level", number); index++) {
    std::string type;
    if (number != level || !read(index, "type", type) || type == "Instruction") continue;
    std::uint64_t kilobytes = 0;
    std::uint32_t ways = 0;
    if (!read(index, "size", kilobytes) || kilobytes == 0) break;
    read(index, "ways_of_associativity", ways);
    return {kilobytes << 10, ways > 0 && ways <= k_max_ways ? ways : otherwise.ways};
  }
  return otherwise;
}

// The last data TLB for pages of 4 KB.
CacheLevel system_tlb() {
  CacheLevel best = k_tlb;
#if defined(__x86_64__)
  unsigned a, b, c, d;
  if (__get_cpuid(0, &a, &b, &c, &d) && b != signature_INTEL_ebx) {
    if (const std::uint32_t entries = amd_second_tlb()) best.size = entries;
  } else if (__get_cpuid_count(0x18, 0, &a, &b, &c, &d)) {
    unsigned level = 0;
    for (unsigned i = 0, last = std::min(a, 32u); i <= last; i++) {
      if (!__get_cpuid_count(0x18, i, &a, &b, &c, &d)) break;
      const unsigned type = d & 31, ways = b >> 16;
      const bool data = type == 1 || type == 3, small_pages = b & 1;
      if (!data || !small_pages || (d >> 5 & 7) <= level) continue;
      if (ways == 0 || ways > k_max_ways || c == 0) continue;
      level = d >> 5 & 7;
      best = {std::uint64_t{c} * ways, ways};
    }
  }
#endif
  return best;
}

constexpr GeometryField<CacheGeometry> k_fields[] = {
    {"L1", &CacheGeometry::l1, nullptr},
    {"L2", &CacheGeometry::l2, nullptr},
    {"LLC", &CacheGeometry::llc, nullptr},
    {"TLB", &CacheGeometry::tlb, nullptr},
    {"line", nullptr, &CacheGeometry::line},
    {"sample", nullptr, &CacheGeometry::sample},
    {"window", nullptr, &CacheGeometry::window}};

}  // namespace

// Family 1AH, Zen 5: 4096 entries, which the 12 bits cannot hold.
std::uint32_t amd_second_tlb(std::uint32_t b, std::uint32_t signature, std::uint32_t features) {
  constexpr std::uint32_t k_first_in_units = 0x1a, k_unit = 32;
  const std::uint32_t family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
  const bool units = (features & 1u << 14) != 0 || family >= k_first_in_units;
  return (b >> 16 & 0xfff) * (units ? k_unit : 1);
}

std::uint32_t amd_second_tlb() {
#if defined(__x86_64__)
  unsigned signature, features, a, b, c, d;
  if (!__get_cpuid(1, &signature, &b, &c, &d)) return 0;
  if (!__get_cpuid(0x80000021, &features, &b, &c, &d)) features = 0;
  if (__get_cpuid(0x80000006, &a, &b, &c, &d)) return amd_second_tlb(b, signature, features);
#endif
  return 0;
}

CacheGeometry machine_geometry(const std::string& folder) {
  CacheGeometry g;
  g.l1 = system_level(folder, 1, k_l1);
  g.l2 = system_level(folder, 2, k_l2);
  g.llc = system_level(folder, 3, k_llc);
  g.tlb = system_tlb();
  const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  if (line > 0 && line_p(static_cast<std::uint64_t>(line)))
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

CacheGeometry geometry_for(std::string_view sizes) {
  CacheGeometry g = machine_geometry();
  parse_geometry(sizes, g);
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
