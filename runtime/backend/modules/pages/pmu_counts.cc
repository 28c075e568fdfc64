// pmu_counts.cc - samples of accesses, added up by object and thread.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/pmu_counts.h"

#include <algorithm>

#include "runtime/backend/modules/pages/page_rows.h"

namespace memprof::backend {

void PmuCounts::born(std::uint64_t address, std::uint64_t bytes, GroupId group,
                     std::uint32_t serial) {
  objects_.born(address, bytes, {group, object_number(serial, bytes)});
}

void PmuCounts::add(const PmuRecords& records) {
  lost_ += records.lost;
  for (const PmuSample& sample : records.samples) {
    if (sample.pid != pid_) continue;
    const Place* const place = objects_.find(sample.address).in;
    Sum& sum = sums_[{place == nullptr ? Place{} : *place, sample.tid}];
    (sample.store ? sum.writes : sum.reads) += sample.period;
    if (sample.memory) sum.requests += sample.period;
    if (sample.walk) {
      sum.walks += sample.period;
      sum.squares += static_cast<double>(sample.period) * static_cast<double>(sample.period);
    }
    tids_.insert(sample.tid);
    samples_++;
  }
}

std::vector<feedback::Pages> PmuCounts::rows(
    const std::function<feedback::Id(GroupId)>& group_id) const {
  const double scale =
      static_cast<double>(samples_ + lost_) / static_cast<double>(std::max<std::uint64_t>(samples_, 1));
  const auto scaled = [scale](double n) {
    return static_cast<std::uint64_t>(std::min(n * scale + 0.5, 1e18));
  };
  std::map<std::uint32_t, std::uint32_t> threads{{pid_, 0}};
  for (const std::uint32_t tid : tids_)
    threads.try_emplace(tid, static_cast<std::uint32_t>(threads.size()));
  std::vector<feedback::Pages> rows;
  for (const auto& [key, sum] : sums_) {
    const auto& [place, tid] = key;
    feedback::Pages r;
    r.group = place.group == 0 ? feedback::k_none : group_id(place.group);
    r.object = place.number;
    r.thread = threads[tid];
    r.source = feedback::PageSource::pmu;
    r.reads = scaled(static_cast<double>(sum.reads));
    r.writes = scaled(static_cast<double>(sum.writes));
    r.walks = scaled(static_cast<double>(sum.walks));
    r.variance = scaled(sum.squares * scale);
    // There is one order of threads: what has happened.
    r.memory.requests = r.as_read.requests = scaled(static_cast<double>(sum.requests));
    rows.push_back(r);
  }
  return rows;
}

}  // namespace memprof::backend
