// flat_map.h - a hash table whose rows are adjacent in memory.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An open table of 4 bytes per slot has the numbers of the rows, so a look-up reads two places
// and makes no nodes: where bursts are short, or births many, std::unordered_map is most of
// their time. Rows stay in the order in which they were added, and none is removed.
//
//   FlatMap<Key, Value>          a value for each key
//   FlatRows<Row, Hash, Rows>    rows with a member `key'; Rows = std::deque: they never move
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memprof::feedback {

// Of a number, whichever of its bits say something.
struct HashOfNumber {
  std::size_t operator()(std::uint64_t key) const { return (key ^ key >> 29) * 0x9e3779b97f4a7c15u >> 32; }
};

// Hash()(key) must differ in its lowest bits.
template <typename Row, typename Hash = HashOfNumber, template <typename...> typename Rows = std::vector>
class FlatRows {
 public:
  using Key = decltype(Row::key);
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  // Of the row of KEY, or k_none.
  std::uint32_t number(const Key& key) const { return slots_[place_of(key)]; }
  // The same, but the row is added if there is none: then its number is what size() was.
  std::uint32_t add_number(const Key& key) {
    std::size_t place = place_of(key);
    if (slots_[place] == k_none) [[unlikely]] {
      if ((rows_.size() + 1) * 2 > slots_.size()) {
        grow();
        place = place_of(key);
      }
      slots_[place] = static_cast<std::uint32_t>(rows_.size());
      rows_.emplace_back().key = key;
    }
    return slots_[place];
  }
  // The row of KEY; std::vector: valid until the next one is added.
  Row& add(const Key& key) { return rows_[add_number(key)]; }

  Row& operator[](std::uint32_t number) { return rows_[number]; }
  const Row& operator[](std::uint32_t number) const { return rows_[number]; }
  const Rows<Row>& rows() const { return rows_; }
  std::size_t size() const { return rows_.size(); }
  void prefetch(const Key& key) const { __builtin_prefetch(&slots_[Hash()(key) & (slots_.size() - 1)]); }
  // Forgets all, and keeps the room.
  void clear() {
    rows_.clear();
    slots_.assign(slots_.size(), k_none);
  }

 private:
  // Of its row's number, or the empty one where it belongs.
  std::size_t place_of(const Key& key) const {
    std::size_t i = Hash()(key) & (slots_.size() - 1);
    while (slots_[i] != k_none && !(rows_[slots_[i]].key == key))
      i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    slots_.assign(slots_.size() * 2, k_none);
    std::uint32_t number = 0;
    for (const Row& row : rows_) slots_[place_of(row.key)] = number++;
  }

  Rows<Row> rows_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, k_none);
};

template <typename Key, typename Value>
struct FlatEntry {
  Key key;
  Value value;
};

template <typename Key, typename Value, typename Hash = HashOfNumber>
class FlatMap : public FlatRows<FlatEntry<Key, Value>, Hash> {
 public:
  // Null if there is none.
  Value* find(const Key& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }
  const Value* find(const Key& key) const {
    const std::uint32_t number = this->number(key);
    return number == this->k_none ? nullptr : &(*this)[number].value;
  }
  // The value of KEY, or VALUE from now on; valid until the next one is added.
  Value& add(const Key& key, const Value& value = {}) {
    const std::size_t next = this->size();
    const std::uint32_t number = this->add_number(key);
    if (number == next) (*this)[number].value = value;
    return (*this)[number].value;
  }
};

}  // namespace memprof::feedback
