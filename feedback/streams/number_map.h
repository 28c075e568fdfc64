// number_map.h - a hash table from 64 bits to 32, of which nothing is removed.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memprof::streams {

class NumberMap {
 public:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  // k_none: there is none.
  std::uint32_t find(std::uint64_t key) const { return slots_[place(key)].value; }
  // The value of KEY, or VALUE from now on, which is not k_none.
  std::uint32_t add(std::uint64_t key, std::uint32_t value) {
    Slot* slot = &slots_[place(key)];
    if (slot->value == k_none) {
      if (++size_ * 2 > slots_.size()) {
        grow();
        slot = &slots_[place(key)];
      }
      *slot = {key, value};
    }
    return slot->value;
  }
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[home(key)]); }
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = k_none;
  };
  std::size_t home(std::uint64_t key) const {
    return (key ^ key >> 29) * 0x9e3779b97f4a7c15u >> 20 & (slots_.size() - 1);
  }
  std::size_t place(std::uint64_t key) const {
    std::size_t i = home(key);
    while (slots_[i].value != k_none && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value != k_none) slots_[place(slot.key)] = slot;
  }
  std::vector<Slot> slots_ = std::vector<Slot>(16);
  std::size_t size_ = 0;
};

}  // namespace memprof::streams
