// changes.h - what differs between two profiles, row by row and with its sign.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// diff.h says how alike two distributions are; this says what grew, shrank, came and went
// from an old profile to a new one, of other code or of another input:
//
//   1. functions: equal identity (module, linkage name, checksum); then the same name in the
//      same module; then the same name in another module, if it is the only one;
//   2. sites: equal ordinals in a function that did not change; in one that did, align.h;
//   3. groups of objects: equal identity; then the same kind, function, allocator, type and
//      context, in the order of their lines: an edit above moves them;
//   4. dependences: between sites that were matched in 2.
//
// Counts are compared as they are. Two runs of different length differ in all of them. Counts of
// sampled profiles have errors (Site::error, Cache::errors), and only what is *significant* is a
// change: two counts that differ by more than
//
//     k * sqrt (error_before^2 + error_after^2)
//
// where k is 1 for a single row of 95 % intervals, and greater where there are many rows
// (Bonferroni), so that 19 of 20 comparisons of equal runs have no change at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

enum class Subject : std::uint8_t {
  site,         // executions
  miss,         // of L2 at a site, modelled
  group,        // bytes of the objects of an allocation site or variable
  dependence,   // executions of a flow dependence
};
const char* name(Subject subject);  // "accesses", "misses", "memory", "dependences"

enum class Presence : std::uint8_t { both, appeared, vanished };

struct Change {
  Subject subject = Subject::site;
  Presence presence = Presence::both;
  bool certain = true;  // false: align.h could not tell equal sites apart
  std::uint64_t before = 0, after = 0;
  std::string where, function, what;  // "a.c:3:7", "f", "load a[i]"

  bool grew() const { return after > before; }
  std::uint64_t size() const { return grew() ? after - before : before - after; }
};

struct Changes {
  struct Total {
    Subject subject = Subject::site;
    std::uint64_t before = 0, after = 0;
    std::size_t within_error = 0;  // rows that differ, but not significantly
  };
  std::vector<Total> totals;     // of subjects that both profiles have
  std::vector<Change> rows;      // only what changed; largest first within a subject
  std::size_t same_functions = 0, changed_functions = 0, new_functions = 0, lost_functions = 0;

  // The total of SUBJECT before; 0: there is none.
  std::uint64_t before(Subject subject) const;
};

Changes changes(const Profile& before, const Profile& after);

}  // namespace memprof::feedback
