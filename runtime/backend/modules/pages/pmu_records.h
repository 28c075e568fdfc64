// pmu_records.h - samples of accesses, from the records that perf_event_open's rings hold.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A record has a header of 8 bytes, type, what ran (misc), and size, and then what the type says
// (linux/perf_event.h). Two types are read:
//
//     PERF_RECORD_SAMPLE, 40 bytes        PERF_RECORD_LOST, 24 bytes
//      0  header                           0  header
//      8  pid, tid: 4 bytes each           8  id of the event
//     16  address                         16  records that found no room
//     24  period
//     32  data source
//
// The layout of a sample is what k_sample_type asks for, the bits of which are in this order. The data
// source is a union of fields (perf_mem_data_src):
//
//     operation   load or store; others are no accesses
//     level       memory, local or not: the line was in no cache
//     TLB         missed the second level, or was walked: the page was in no TLB
//
// Example: a load of the user with TLB = miss, L2 and level = miss, local RAM
// at 0x7f12a0008040 with period 4000 stands for 4000 loads, walks and requests to memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memprof::backend {

struct PmuSample {
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t address = 0;
  std::uint64_t period = 0;  // how many accesses it stands for
  bool store = false, walk = false, memory = false;

  bool operator==(const PmuSample&) const = default;
};

struct PmuRecords {
  std::vector<PmuSample> samples;
  std::uint64_t lost = 0;       // samples that found no room in the ring
  std::uint64_t passed = 0;     // samples of the kernel, or of what is no load or store
  std::uint64_t malformed = 0;  // records that make no sense; the rest of their bytes was not read
};

// perf_event_attr::sample_type.
extern const std::uint64_t k_sample_type;

// What ADDRESS's sample with DATA_SOURCE says. False: it is no load and no store.
bool decode_source(std::uint64_t data_source, PmuSample& sample);
// Adds what BYTES hold, which begin and end between two records.
void parse_records(std::span<const std::byte> bytes, PmuRecords& records);

}  // namespace memprof::backend
