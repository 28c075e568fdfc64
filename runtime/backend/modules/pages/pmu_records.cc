// pmu_records.cc - samples of accesses, from the records that perf_event_open's rings hold.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/pmu_records.h"

#include <linux/perf_event.h>

#include <cstring>

namespace memprof::backend {

namespace {

struct Sample {
  perf_event_header header;
  std::uint32_t pid, tid;
  std::uint64_t address, period, data_source;
};
struct Lost {
  perf_event_header header;
  std::uint64_t id, lost;
};
static_assert(sizeof(Sample) == 40 && sizeof(Lost) == 24);

template <typename Record>
Record read(std::span<const std::byte> bytes) {
  Record record;
  std::memcpy(&record, bytes.data(), sizeof record);
  return record;
}

void add_sample(const Sample& raw, PmuRecords& records) {
  PmuSample sample{raw.pid, raw.tid, raw.address, raw.period};
  const unsigned ran = raw.header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
  if (ran == PERF_RECORD_MISC_USER && decode_source(raw.data_source, sample))
    records.samples.push_back(sample);
  else
    records.passed++;
}

}  // namespace

const std::uint64_t k_sample_type =
    PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC;

bool decode_source(std::uint64_t data_source, PmuSample& sample) {
  perf_mem_data_src source;
  source.val = data_source;
  sample.store = (source.mem_op & PERF_MEM_OP_STORE) != 0;
  if (!sample.store && (source.mem_op & PERF_MEM_OP_LOAD) == 0) return false;
  constexpr unsigned k_missed = PERF_MEM_TLB_MISS | PERF_MEM_TLB_L2;
  sample.walk = (source.mem_dtlb & k_missed) == k_missed ||
                (source.mem_dtlb & (PERF_MEM_TLB_WK | PERF_MEM_TLB_OS)) != 0;
  constexpr unsigned k_ram = PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2;
  sample.memory =
      (source.mem_lvl & k_ram) != 0 || source.mem_lvl_num == PERF_MEM_LVLNUM_RAM;
  return true;
}

void parse_records(std::span<const std::byte> bytes, PmuRecords& records) {
  while (!bytes.empty()) {
    perf_event_header header{};
    if (bytes.size() >= sizeof header) header = read<perf_event_header>(bytes);
    const std::size_t least = header.type == PERF_RECORD_LOST     ? sizeof(Lost)
                              : header.type == PERF_RECORD_SAMPLE ? sizeof(Sample)
                                                                  : sizeof header;
    if (header.size < least || header.size > bytes.size() ||
        (header.type == PERF_RECORD_SAMPLE && header.size != least)) {
      records.malformed++;
      return;
    }
    if (header.type == PERF_RECORD_SAMPLE) add_sample(read<Sample>(bytes), records);
    if (header.type == PERF_RECORD_LOST) records.lost += read<Lost>(bytes).lost;
    bytes = bytes.subspan(header.size);
  }
}

}  // namespace memprof::backend
