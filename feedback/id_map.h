// id_map.h - what represents each id of a document: a table, as ids count from 0.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.  Ids in a document that another tool has made, or that is
// hostile, may be any numbers: those far above the number of ids go into a hash map, so
// that a table has at most 16 places for each id and 1024 more.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// T's value MISSING represents nothing.
template <typename T, T missing>
class IdMap {
 public:
  T operator[](Id id) const {
    if (id < table_.size() && table_[id] != missing) return table_[id];
    if (far_.empty()) return missing;
    const auto it = far_.find(id);
    return it == far_.end() ? missing : it->second;
  }
  bool contains(Id id) const { return (*this)[id] != missing; }

  void set(Id id, T value) {
    ids_++;
    if (id >= table_.size() && id / 16 <= ids_ + 64)
      table_.resize(std::max(std::size_t{id} + 1, table_.size() * 2), missing);
    if (id < table_.size() && !far_.contains(id)) table_[id] = value;
    else far_[id] = value;
  }
  // Unless there is a value.
  void set_first(Id id, T value) {
    if (!contains(id)) set(id, value);
  }

  void clear() {
    std::fill(table_.begin(), table_.end(), missing);
    far_.clear();
    ids_ = 0;
  }

 private:
  std::vector<T> table_;
  std::unordered_map<Id, T> far_;
  std::size_t ids_ = 0;  // that have been set
};

using IdNames = IdMap<Id, k_none>;  // id here -> id there

}  // namespace memprof::feedback
