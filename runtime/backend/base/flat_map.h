// flat_map.h - a hash table whose rows are adjacent in memory.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An open table of 4 bytes per slot has the numbers of the rows, so a look-up reads two places
// and makes no nodes: where bursts are short, or births many, std::unordered_map is most of
// their time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memprof::backend {

// Of a number, whichever of its bits say something.
struct HashOfNumber {
  std::size_t operator()(std::uint64_t key) const { return key * 0x9e3779b97f4a7c15u >> 32; }
};

// Hash()(key) must differ in its lowest bits.
template <typename Key, typename Value, typename Hash = HashOfNumber>
class FlatMap {
 public:
  // Null if there is none.
  Value* find(const Key& key) {
    const std::uint32_t number = slots_[place_of(key)];
    return number == k_none ? nullptr : &rows_[number].value;
  }
  // The value of KEY, or VALUE from now on; valid until the next one is added.
  Value& add(const Key& key, const Value& value = {}) {
    std::size_t place = place_of(key);
    if (slots_[place] == k_none) {
      if ((rows_.size() + 1) * 2 > slots_.size()) {
        grow();
        place = place_of(key);
      }
      slots_[place] = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back({key, value});
    }
    return rows_[slots_[place]].value;
  }

  struct Row {
    Key key;
    Value value;
  };
  // Forgets all, and keeps the room.
  void clear() {
    rows_.clear();
    slots_.assign(slots_.size(), k_none);
  }
  // In the order in which they were added.
  const std::vector<Row>& rows() const { return rows_; }

 private:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  // Of its row's number, or the empty one where it belongs.
  std::size_t place_of(const Key& key) const {
    std::size_t i = Hash()(key) & (slots_.size() - 1);
    while (slots_[i] != k_none && !(rows_[slots_[i]].key == key))
      i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, k_none);
    for (std::size_t i = 0; i < rows_.size(); i++)
      slots_[place_of(rows_[i].key)] = static_cast<std::uint32_t>(i);
  }

  std::vector<Row> rows_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, k_none);
};

}  // namespace memprof::backend
