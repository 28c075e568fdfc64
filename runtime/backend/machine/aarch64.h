// aarch64.h - what machine.h promises, for 64-bit Arm.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#define MEMPROF_FOUR_LANES
#define MEMPROF_EIGHT_LANES

namespace memprof::backend {

inline constexpr char k_machine[] = "aarch64-linux-gnu";
// Processors and kernels with 52 bits give out addresses above 2^48 only to programs that ask for such.
inline constexpr int k_address_bits = 48;
// Of kernels with pages of 4 KB; with 16 or 64 KB, huge pages have 32 or 512 MB.
inline constexpr std::size_t k_page_bytes = 4096, k_huge_page_bytes = std::size_t{2} << 20;

// Advanced SIMD has two.
inline int machine_lanes() { return 0; }

// A barrier on all processors, which takes some ten milliseconds.
void see_stores_of_others();

struct TlbSizes;
// Changes in SIZES what is known of the TLBs of the processor whose MIDR_EL1 is MIDR. False: nothing is.
bool tlbs_of(std::uint64_t midr, TlbSizes& sizes);

}  // namespace memprof::backend
