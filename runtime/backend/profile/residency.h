// residency.h - how much of large objects is in memory when the program ends.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A table of 1 GB of which one page in 16 was ever touched has 64 MB. Samples cannot tell, the
// kernel can: /proc/PID/pagemap says of each page of the program, which waits for its profile,
// whether it is there. Objects that died before are not known, nor is anything of a program that
// was killed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/backend/base/ids.h"
#include "runtime/backend/program/group_table.h"
#include "runtime/backend/program/object_manager.h"

namespace memprof::backend {

// Of the objects of a group that have k_least_large bytes at least and live.
struct Residency {
  std::uint64_t bytes = 0, resident = 0;
};
inline constexpr std::uint64_t k_least_large = std::uint64_t{1} << 20;

// By group. PROCESS: the program's folder in /proc; empty, or unreadable: nothing is known.
std::map<GroupId, Residency> find_residency(const std::string& process,
                                            const ObjectManager& objects,
                                            const GroupTable& groups);

}  // namespace memprof::backend
