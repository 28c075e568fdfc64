// group_name.cc - what people call a group.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/group_name.h"

namespace memprof::feedback {

std::string group_name(const Group& group) {
  std::string at = group.file.empty() ? "" : group.file + ":" + std::to_string(group.line);
  std::string what;
  switch (group.kind) {
    case GroupKind::heap:
      what = group.allocator.empty() ? "heap" : group.allocator;
      break;
    case GroupKind::mapped:
      what = group.allocator.empty() ? "mmap" : group.allocator;
      break;
    case GroupKind::global:
      return "global " + group.function + (at.empty() ? "" : " (" + at + ")");
    case GroupKind::stack:
      return group.function.empty() ? "stack" : "stack of " + group.function;
    case GroupKind::unknown:
      return "unknown memory";
  }
  if (at.empty()) return what + (group.function.empty() ? "" : " in " + group.function);
  return what + " at " + at;
}

}  // namespace memprof::feedback
