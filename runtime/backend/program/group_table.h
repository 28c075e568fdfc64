// group_table.h - groups: all objects that were created at one program point.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "feedback/model.h"
#include "runtime/backend/base/sparse_table.h"
#include "runtime/backend/event/batch.h"

namespace memprof::backend {

struct GroupCounts {
  std::uint64_t objects;   // born so far = serial number of the next one
  std::uint64_t bytes;     // sum over all of them
  std::uint64_t live;      // bytes alive now
  std::uint64_t span;      // peak of `live'
  std::uint64_t accesses;
  feedback::GroupKind kind;
};

class GroupTable {
 public:
  GroupTable() : counts_(k_max_groups) { names_.emplace_back(); }

  // The group with these names, made when there is none. Its identity is that
  // of the feedback model, so two call sites on one line are one group.
  GroupId intern(feedback::Group name) {
    const auto key = std::tie(name.kind, name.file, name.line, name.function,
                              name.type, name.context);
    const auto [it, fresh] = ids_.try_emplace(Key(key), 0);
    if (fresh) {
      if (names_.size() >= counts_.capacity()) throw std::bad_alloc();
      it->second = static_cast<GroupId>(names_.size());
      counts_[it->second].kind = name.kind;
      names_.push_back(std::move(name));
    }
    return it->second;
  }

  // Objects of GROUP are carved from blocks of PARENT; the first one that is known stays.
  void note_parent(GroupId group, GroupId parent) {
    feedback::Id& known = names_[group].parent;
    if (known == feedback::k_none) known = parent;
  }

  GroupCounts& operator[](GroupId group) { return counts_[group]; }
  const GroupCounts& operator[](GroupId group) const { return counts_[group]; }
  const feedback::Group& name(GroupId group) const { return names_[group]; }
  std::size_t size() const { return names_.size(); }  // ids 1 .. size() - 1
  // They are not counted.
  void forget_accesses() {
    for (GroupId group = 0; group < size(); group++) counts_[group].accesses = 0;
  }

  // Safe to ask from other threads about a group in an event they were handed.
  feedback::GroupKind kind(GroupId group) const {
    return group && group < counts_.capacity() ? counts_[group].kind
                                              : feedback::GroupKind::unknown;
  }

 private:
  using Key = std::tuple<feedback::GroupKind, std::string, std::uint32_t,
                         std::string, std::string, std::string>;
  static constexpr std::size_t k_max_groups = std::size_t{1} << 24;

  std::map<Key, GroupId> ids_;
  std::vector<feedback::Group> names_;
  SparseArray<GroupCounts> counts_;
};

}  // namespace memprof::backend
