// pmu_counts.h - samples of accesses, added up by object and thread.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A sample belongs to the object that is alive at its address, and stands for as many accesses as its
// period says. Samples that found no room are dealt out to all:
//
//     born [0x1000, 0x3000) group 7 #0
//     load 0x1040 period 4000, walk          group 7 #0: 4000 reads, 4000 walks
//     store 0x9000 period 4000               no known object: 4000 writes
//     one sample lost                        all figures times 3/2
//
// The variance of walks is that of samples that come independently: the sum of the squares of their
// periods. Threads are numbered by the kernel's numbers; the first is 0. A program that has threads without samples
// has other numbers than a model of its run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "feedback/model.h"
#include "runtime/backend/modules/pages/pmu_records.h"
#include "runtime/backend/program/live_objects.h"

namespace memprof::backend {

class PmuCounts {
 public:
  explicit PmuCounts(std::uint32_t pid) : pid_(pid) {}

  void born(std::uint64_t address, std::uint64_t bytes, GroupId group, std::uint32_t serial);
  void died(std::uint64_t address) { objects_.died(address); }
  // Samples of the objects that are alive now. Those of other processes count for nothing.
  void add(const PmuRecords& records);

  std::uint64_t samples() const { return samples_; }
  std::uint64_t lost() const { return lost_; }
  std::vector<feedback::Pages> rows(
      const std::function<feedback::Id(GroupId)>& group_id) const;

 private:
  struct Place {
    GroupId group = 0;
    std::uint32_t number = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Sum {
    std::uint64_t reads = 0, writes = 0, walks = 0, requests = 0;
    double squares = 0;
  };

  const std::uint32_t pid_;
  LiveObjects<Place> objects_;
  std::map<std::pair<Place, std::uint32_t>, Sum> sums_;  // and tid
  std::set<std::uint32_t> tids_;
  std::uint64_t samples_ = 0, lost_ = 0;
};

}  // namespace memprof::backend
