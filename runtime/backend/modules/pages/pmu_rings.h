// pmu_rings.h - the rings into which the kernel writes samples of a program's accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each event of each processor has a ring of 128 KB: the kernel appends records and moves the head, we
// read them and move the tail. What does not fit is counted (PERF_RECORD_LOST). The events are
// those of the program's first thread and of all threads that it starts. A ring of 128 KB holds
// what comes in some 0.8 s.
//
//     data   | free      | record | record | rec    free |
//            ...ord |    ^ tail                     head ^     a record may go on at the beginning
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/backend/modules/pages/pmu_events.h"

namespace memprof::backend {

class PmuRings {
 public:
  PmuRings() = default;
  ~PmuRings();
  PmuRings(const PmuRings&) = delete;
  PmuRings& operator=(const PmuRings&) = delete;

  // Begins to sample. What is wrong, or empty.
  std::string open(const std::vector<PmuEvent>& events, pid_t pid);
  // Calls SINK with the records that have come since, of one ring at a time.
  void read(const std::function<void(std::span<const std::byte>)>& sink);

 private:
  struct Ring {
    int fd;
    void* memory;
  };
  std::vector<Ring> rings_;
  std::vector<std::byte> records_;
};

}  // namespace memprof::backend
