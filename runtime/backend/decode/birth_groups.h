// birth_groups.h - which group a heap object belongs to.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The record of a birth names the allocation site, the return address of the call, and the
// allocator. The site's table has the group's name; code without a site is named by its
// address. Both are looked up once and remembered, until a unit comes or goes:
//
//     birth { site 0x5010, caller, malloc }    a.c:7, main, malloc
//     birth { site 0, caller 0x7f31, malloc }  libz.so:inflateInit, malloc
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "feedback/flat_map.h"
#include "runtime/backend/decode/decoder_hooks.h"
#include "runtime/backend/program/group_table.h"
#include "runtime/backend/program/loaded_units.h"
#include "runtime/backend/program/object_manager.h"
#include "runtime/wire/ring.h"

namespace memprof::backend {

// The name of an mprt_allocator, null if there is none.
const char* allocator_name(std::uint64_t allocator);

class BirthGroups {
 public:
  BirthGroups(const LoadedUnits& units, GroupTable& groups, const DecoderHooks& hooks)
      : units_(units), groups_(groups), hooks_(hooks) {}

  // The group of an object with these words of its record.
  GroupId group_of(std::uint64_t site, std::uint64_t caller, std::uint64_t allocator);
  // Units have come or gone: addresses may mean something else.
  void forget() {
    by_site_ = {};
    by_caller_ = {};
  }
  // What is alive of OBJECTS, with the words that lead to its group.
  std::vector<mprt_live_object> live_objects(const ObjectManager& objects) const;

 private:
  GroupId new_group(std::uint64_t site, std::uint64_t caller, std::uint64_t allocator);

  const LoadedUnits& units_;
  GroupTable& groups_;
  const DecoderHooks& hooks_;
  feedback::FlatMap<std::uint64_t, GroupId> by_site_, by_caller_;
  // By group: the words of a birth that leads to it.
  struct Origin {
    std::uint64_t site, caller, allocator;
  };
  std::unordered_map<GroupId, Origin> origins_;
};

}  // namespace memprof::backend
