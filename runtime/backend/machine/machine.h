// machine.h - the processor on which programs are profiled.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A port is a header and a source file in this folder, and its line here. The header has
//
//     k_machine                     its name, as in the profile's header
//     k_address_bits                of the addresses of user programs
//     k_page_bytes, k_huge_page_bytes   of the smallest pages that kernels have
//     MEMPROF_FOUR_LANES, MEMPROF_EIGHT_LANES   the attribute of a function whose vectors have as
//                                   many lanes of 64 bits, or nothing
//     machine_lanes()               how many lanes the processor has in one operation: 8, 4, or 0
//                                   if loops over vectors are not worth it
//
//     see_stores_of_others()        sees the stores that other threads, of any process, have made before
//                                   one that is seen already
//
// and the source file the functions below, which are about the TLB. What the kernel knows of
// caches is in caches.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include "runtime/backend/machine/x86_64.h"
#elif defined(__aarch64__)
#include "runtime/backend/machine/aarch64.h"
#else
#error "the backend has no port to this processor: see runtime/backend/machine/machine.h"
#endif

namespace memprof::backend {

struct CacheLevel {
  std::uint64_t size = 0;  // bytes, or entries of a TLB; 0: there is none
  std::uint32_t ways = 0;

  bool operator==(const CacheLevel&) const = default;
};

struct TlbSizes {
  // Entries of the TLBs of data: first level for small and for huge pages, second level.
  CacheLevel small = {64, 4}, huge = {32, 4}, second = {1536, 12};
  std::uint32_t second_sizes = 2;  // 1: the second level has small pages only

  bool operator==(const TlbSizes&) const = default;
};

// Changes in SIZES what the processor tells.
void read_tlbs(TlbSizes& sizes);
// The last data TLB for small pages, or OTHERWISE. At most MOST_WAYS.
CacheLevel read_last_tlb(CacheLevel otherwise, std::uint32_t most_ways);

// What the kernel says of the cache of LEVEL, of data, in FOLDER, or OTHERWISE.
CacheLevel read_cache(const std::string& folder, int level, CacheLevel otherwise,
                      std::uint32_t most_ways);
// Bytes of a page of this kernel, of which those of calls of it must be multiples.
std::size_t page_bytes();
// Bytes of a line of the first cache; 0: not known.
std::uint64_t read_line_bytes();

}  // namespace memprof::backend
