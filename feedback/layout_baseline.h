// layout_baseline.h - the sizes and orders of records that a project has agreed to: a small file beside
// its source, against which `memprof layout --baseline' compares a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   {"memprof_layout":1,"types":[
//   {"name":"struct node","bytes":64,"hot":true,"lines":1,"order":"9ae16a3b2f90404f"},
//   ...
//   ]}
//
// One type a line, by name, so that a change of the file can be read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "feedback/result.h"

namespace memprof::feedback {

struct TypeLayout {
  std::string name;
  std::uint64_t bytes = 0;
  bool hot = false;
  double lines = 0;   // of the cache that a visit touches
  std::string order;  // hash of the fields and their offsets
};

std::string layout_baseline_text(const std::vector<TypeLayout>& types);
// NAME is that of the file, for messages.
Result<std::vector<TypeLayout>> parse_layout_baseline(const std::string& text, const std::string& name);

}  // namespace memprof::feedback
