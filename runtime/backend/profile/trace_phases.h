// trace_phases.h - memprof trace --phases=N: requests to memory by object and interval of time.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sums over a run hide that a program builds one thing, then searches another: an object that is hot
// in a tenth of the time looks like one that is never so. Here the requests of each N accesses
// are added up by object:
//
//     # first reads writes walks object
//     0 1030 0 3 all                              the accesses 0 to N - 1
//     0 1024 0 2 calloc at a.c:30 #0
//     0 6 0 1 others
//     100000 512 1020 70 all                      the accesses N to 2N - 1
//
//   reads     lines of data read from memory
//   writes    changed lines written back, for the object that changed them last
//   walks     lines of page tables read from memory: what the paper's card sees of a walk
//
// The 16 objects with most requests of an interval have a line of their own, if they have a tenth of a
// per cent of them; the others are added up. 64 bytes times reads, writes and walks is the
// traffic of the interval. An interval without requests has no line.
//
// JSON: an object in each line for an interval: "first", the three sums, and "objects", with the
// same sums and "object" each.
//
// Paper: Chen et al., ISPASS 2012, section 4: hot objects over time, and figure 12.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/backend/profile/memory_trace.h"

namespace memprof::backend {

class TracePhases {
 public:
  static constexpr std::size_t k_most_objects = 16;
  static constexpr std::uint64_t k_least_share = 1000;  // an object has one request in 1000 at least

  // Intervals of ACCESSES, the first of which begins at access FIRST.
  TracePhases(std::FILE* out, bool json, std::uint64_t first, std::uint64_t accesses)
      : out_(out), json_(json), first_(first), accesses_(accesses) {}

  void begin() const;
  // The number of the object NAME, from 1.
  std::uint32_t add_object(std::string name) {
    rows_.push_back({std::move(name), {}});
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }
  // Times do not fall, and none is before the first interval.
  void add(const MemoryRequest& request);
  // There will be no more.
  void end() { write(); }

 private:
  struct Sums {
    std::uint64_t reads = 0, writes = 0, walks = 0;
    std::uint64_t all() const { return reads + writes + walks; }
    void add(const Sums& s) {
      reads += s.reads;
      writes += s.writes;
      walks += s.walks;
    }
  };
  struct Row {
    std::string name;
    Sums sums;  // of the interval
  };
  // What is written of an interval.
  struct Line {
    const char* name;
    Sums sums;
  };

  void write();
  std::vector<Line> lines(const Sums& all) const;
  void write_text(const Line& line) const;
  void write_json(const Sums& all, const std::vector<Line>& lines) const;

  std::FILE* out_;
  const bool json_;
  const std::uint64_t first_, accesses_;
  std::uint64_t interval_ = 0;
  std::vector<Row> rows_{{"-", {}}};  // by object; 0: no known one
  std::vector<std::uint32_t> used_;   // objects with requests in the interval
};

}  // namespace memprof::backend
