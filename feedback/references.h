// references.h - which ids a profile has, and whether all others lead to one.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.
#pragma once

#include <unordered_map>

#include "feedback/model.h"
#include "feedback/tape.h"

namespace memprof::feedback {

// Every site, loop and group by its id.  Valid while the profile is not changed.
struct IdTable {
  struct SiteEntry {
    const Module* module;
    const Function* function;
    const Site* site;
  };
  std::unordered_map<Id, SiteEntry> sites;
  std::unordered_map<Id, const Loop*> loops;
  std::unordered_map<Id, const Group*> groups;

  // Duplicate ids, and ids inside of functions that lead nowhere or in a
  // circle, go to FAULTS.
  IdTable(const Profile& profile, Faults& faults);
};

// The tables' ids.  k_none is not a fault: it represents what could not be read,
// which has been reported, or was not (read_module).
void check_references(const Profile& profile, const IdTable& ids,
                      Faults& faults);

}  // namespace memprof::feedback
