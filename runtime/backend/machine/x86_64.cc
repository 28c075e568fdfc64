// x86_64.cc - what cpuid says of TLBs.
// SPDX-License-Identifier: GPL-3.0-or-later
#if defined(__x86_64__)

#include "runtime/backend/machine/machine.h"

#include <cpuid.h>

#include <algorithm>

namespace memprof::backend {

namespace {

// 0: it does not say.
std::uint32_t second_tlb_of_amd() {
  unsigned signature, features, a, b, c, d;
  if (!__get_cpuid(1, &signature, &b, &c, &d)) return 0;
  if (!__get_cpuid(0x80000021, &features, &b, &c, &d)) features = 0;
  if (__get_cpuid(0x80000006, &a, &b, &c, &d)) return amd_second_tlb(b, signature, features);
  return 0;
}

// One TLB of data, of leaf 18H.
struct IntelTlb {
  unsigned level;
  CacheLevel size;
  bool small, huge;
};

// Calls FN for each.
template <typename Fn>
void for_intel_tlbs(Fn&& fn) {
  unsigned a, b, c, d;
  if (!__get_cpuid_count(0x18, 0, &a, &b, &c, &d)) return;
  for (unsigned i = 0, last = std::min(a, 32u); i <= last; i++) {
    if (!__get_cpuid_count(0x18, i, &a, &b, &c, &d)) return;
    const unsigned type = d & 31, ways = b >> 16;
    if ((type == 1 || type == 3) && ways != 0 && c != 0)
      fn(IntelTlb{d >> 5 & 7, {std::uint64_t{c} * ways, ways}, (b & 1) != 0, (b & 2) != 0});
  }
}

// Leaves 80000005H and 80000006H: entries of data TLBs; how many ways a code says.
void ask_amd(TlbSizes& sizes) {
  static constexpr std::uint32_t k_ways[] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
  unsigned a, b, c, d;
  const auto level = [](unsigned entries, unsigned ways) {
    if (ways == 0 || ways > entries || entries % ways != 0) ways = entries;  // anywhere
    return CacheLevel{entries, ways};
  };
  if (__get_cpuid(0x80000005, &a, &b, &c, &d)) {
    if (const unsigned entries = b >> 16 & 0xff) sizes.small = level(entries, b >> 24 & 0xff);
    if (const unsigned entries = a >> 16 & 0xff) sizes.huge = level(entries, a >> 24 & 0xff);
  }
  if (!__get_cpuid(0x80000006, &a, &b, &c, &d)) return;
  if (const std::uint32_t entries = second_tlb_of_amd()) {
    sizes.second = level(entries, k_ways[b >> 28]);
    sizes.second_sizes = (a >> 16 & 0xfff) != 0 ? 2 : 1;
  }
}

enum class Maker { unknown, intel, other };

Maker maker() {
  unsigned a, b, c, d;
  if (!__get_cpuid(0, &a, &b, &c, &d)) return Maker::unknown;
  return b == signature_INTEL_ebx ? Maker::intel : Maker::other;
}

}  // namespace

// Family 1AH, Zen 5: 4096 entries, which the 12 bits cannot hold.
std::uint32_t amd_second_tlb(std::uint32_t b, std::uint32_t signature, std::uint32_t features) {
  constexpr std::uint32_t k_first_in_units = 0x1a, k_unit = 32;
  const std::uint32_t family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
  const bool units = (features & 1u << 14) != 0 || family >= k_first_in_units;
  return (b >> 16 & 0xfff) * (units ? k_unit : 1);
}

void read_tlbs(TlbSizes& sizes) {
  const Maker of = maker();
  if (of == Maker::other) ask_amd(sizes);
  if (of != Maker::intel) return;
  for_intel_tlbs([&sizes](const IntelTlb& tlb) {
    if (tlb.level == 1 && tlb.small) sizes.small = tlb.size;
    if (tlb.level == 1 && tlb.huge && !tlb.small) sizes.huge = tlb.size;
    if (tlb.level == 2 && tlb.small) {
      sizes.second = tlb.size;
      sizes.second_sizes = tlb.huge ? 2 : 1;
    }
  });
}

CacheLevel read_last_tlb(CacheLevel otherwise, std::uint32_t most_ways) {
  CacheLevel best = otherwise;
  const Maker of = maker();
  if (of == Maker::other)
    if (const std::uint32_t entries = second_tlb_of_amd()) best.size = entries;
  if (of != Maker::intel) return best;
  unsigned level = 0;
  for_intel_tlbs([&](const IntelTlb& tlb) {
    if (!tlb.small || tlb.level <= level || tlb.size.ways > most_ways) return;
    level = tlb.level;
    best = tlb.size;
  });
  return best;
}

}  // namespace memprof::backend

#endif
