// x86_64.h - what machine.h promises, for x86-64.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#define MEMPROF_FOUR_LANES [[gnu::target("avx2")]]
#define MEMPROF_EIGHT_LANES [[gnu::target("avx512f")]]

namespace memprof::backend {

inline constexpr char k_machine[] = "x86_64-linux-gnu";
inline constexpr int k_address_bits = 47;
inline constexpr std::size_t k_page_bytes = 4096, k_huge_page_bytes = std::size_t{2} << 20;

inline int machine_lanes() {
  return __builtin_cpu_supports("avx512f") ? 8 : __builtin_cpu_supports("avx2") ? 4 : 0;
}

// They are seen in order.
inline void see_stores_of_others() {}

// Of an AMD processor, what it says of its second TLB: B is register EBX of leaf 80000006H, SIGNATURE
// EAX of leaf 1, FEATURES EAX of leaf 80000021H, whose bit 14 says that the number of entries is in
// units of 32. Virtual machines hide that bit, so families that always have it count without it.
std::uint32_t amd_second_tlb(std::uint32_t b, std::uint32_t signature, std::uint32_t features);

}  // namespace memprof::backend
