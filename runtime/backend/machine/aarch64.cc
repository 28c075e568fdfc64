// aarch64.cc - the TLBs of 64-bit Arm processors, by their numbers.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// No instruction that a program may execute tells them. The kernel shows the number of the
// processor, MIDR_EL1, and the table has what the Technical Reference Manuals say. An emulator and
// some guests show none; then the usual sizes of machine.h stay. The user can name others
// (MPRT_OPTIONS=cache=, pages=).
#if defined(__aarch64__)

#include "runtime/backend/machine/machine.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

namespace memprof::backend {

namespace {

struct Processor {
  std::uint32_t implementer, part;
  CacheLevel first, second;  // the first level has pages of all sizes
};

constexpr Processor k_processors[] = {
    {0x41, 0xd08, {32, 32}, {1024, 4}},  // Cortex-A72
    {0x41, 0xd0b, {48, 48}, {1280, 5}},  // Cortex-A76
    {0x41, 0xd0c, {48, 48}, {1280, 5}},  // Neoverse N1
    {0x41, 0xd49, {44, 44}, {1280, 5}},  // Neoverse N2
    {0x41, 0xd4f, {48, 48}, {2048, 8}},  // Neoverse V2
};

// 0: not known.
std::uint64_t own_midr() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  std::uint64_t midr = 0;
  file >> std::hex >> midr;
  return midr;
}

}  // namespace

void see_stores_of_others() { syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0); }

bool tlbs_of(std::uint64_t midr, TlbSizes& sizes) {
  for (const Processor& processor : k_processors)
    if ((midr >> 24 & 0xff) == processor.implementer && (midr >> 4 & 0xfff) == processor.part) {
      sizes.small = sizes.huge = processor.first;
      sizes.second = processor.second;
      sizes.second_sizes = 2;
      return true;
    }
  return false;
}

void read_tlbs(TlbSizes& sizes) { tlbs_of(own_midr(), sizes); }

CacheLevel read_last_tlb(CacheLevel otherwise, std::uint32_t most_ways) {
  TlbSizes sizes;
  return tlbs_of(own_midr(), sizes) && sizes.second.ways <= most_ways ? sizes.second : otherwise;
}

}  // namespace memprof::backend

#endif
