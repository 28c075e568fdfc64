// head_sum.h - what a sum says of the program, of its runs, and which tables it has.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/: the part of merge.cc that is about whole profiles.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "feedback/model.h"
#include "feedback/schema.h"

namespace memprof::feedback {

// Each field has an operation that neither order nor grouping changes:
//
//   counts          add, up to the greatest number
//   names, command  the smaller text that is not empty
//   build_id        stays when all have it, else empty for good
//   mode, caches, pages    stay when all have them, else "mixed" for good
//   start           the earliest that is known
//   host            stays when all have it, else empty for good
//   labels          those that all have, with the same value
//   duration_s      adds in microseconds, up to 71 years: what a double keeps exactly
//   tables          those of all profiles; inferred_dependences: see head_sum.cc
class HeadSum {
 public:
  // SUM gets program, run, tool and sections.
  void add(const Profile& profile, Profile& sum);
  bool has(Section table) const;

 private:
  void add_tables(const Profile& profile);
  void add_program(const Program& other, Program& sum);
  void add_run(const Run& other, Run& sum);

  bool first_ = true;
  std::uint64_t microseconds_ = 0;
  std::set<std::string> tables_;
};

// The smaller of two texts; an empty one says nothing.
void keep_smaller(std::string& kept, const std::string& other);

}  // namespace memprof::feedback
