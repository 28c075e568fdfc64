// stride_histogram.h - how often a site had each stride.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is counted, and what for, is in stride.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace memprof::backend {

// What comes out of a table.
struct StrideEntry {
  std::int64_t stride;
  std::uint64_t count;
  std::uint64_t within;  // of them inside one object
};

// Counts of one site: an open hash table of (stride, whether inside one object).
//
// Slots take 8 bytes, because the tables of a few irregular sites must share the
// cache: a key of 32 bits and a count of 32.  Larger strides and counts that
// overflow are few, and lie in a map.
class StrideHistogram {
 public:
  std::uint64_t repeats = 0, other = 0, other_within = 0;

  // Adds `count' executions in a row; `within' of them inside one object; all of this TIMES times.
  void add(std::int64_t stride, std::uint64_t count, std::uint64_t within,
           std::uint64_t times = 1) {
    if (count == 1 && times == 1) {
      add_one(stride, within != 0);
      return;
    }
    repeats += (count - 1) * times;
    count *= times;
    within *= times;
    if (surely_absent(stride)) {
      add_other(count, within);
      return;
    }
    if (within != 0 && !add_key(stride, 1, within)) add_other(within, within);
    if (count != within && !add_key(stride, 0, count - within)) add_other(count - within, 0);
  }
  [[gnu::always_inline]] void add_one(std::int64_t stride, bool within) {
    if (surely_absent(stride))
      add_other(1, within);
    else if (!add_known(stride, within))
      add_one_slowly(stride, within);
  }
  // COUNT executions in a row, or none; mostly one.
  [[gnu::always_inline]] void add_run(std::int64_t stride, std::uint64_t count,
                                      std::uint64_t within) {
    if (count == 1)
      add_one(stride, within != 0);
    else if (count != 0)
      add(stride, count, within);
  }
  bool empty() const { return used_ == 0; }
  std::size_t distinct() const { return used_; }
  // Before anything is added; repeatedly does no harm.
  void open() {
    if (slots_.empty()) slots_.resize(std::size_t{1} << k_first_bits);
  }
  // The common case of add_one: the stride has a count, in its first place.
  bool add_known(std::int64_t stride, bool within) {
    const std::int32_t key = key_of(stride, within);
    Slot& place = slots_[first_place(key)];
    if (place.key != key || !small_p(stride) || place.count + 1 < 2) return false;
    place.count++;
    return true;
  }
  // Whether what strides look at is hardly in the cache.
  bool large() const { return slots_.size() >= k_large; }
  // Asks for what a stride looks at first.
  [[gnu::always_inline]] void prefetch(std::int64_t stride) const {
    __builtin_prefetch(&slots_[first_place(key_of(stride, false))]);
  }
  std::vector<StrideEntry> entries() const;  // in no order
  // With all counts times NUMERATOR / DENOMINATOR, rounded down.
  StrideHistogram scaled(std::uint64_t numerator, std::uint64_t denominator) const;

 private:
  static constexpr std::size_t k_max_distinct = 4096;  // exact strides of a site
  static constexpr std::size_t k_large = 4096;         // slots
  struct Slot {
    std::int32_t key;     // stride * 2 + within
    std::uint32_t count;  // 0: the slot is empty
  };
  static constexpr unsigned k_first_bits = 2;

  // Of small strides.
  static std::int32_t key_of(std::int64_t stride, bool within) {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(stride) * 2 + within);
  }
  static bool small_p(std::int64_t stride) { return stride == stride << 33 >> 33; }
  // The two keys of a stride begin in one place.
  std::size_t first_place(std::int32_t key) const {
    return static_cast<std::uint32_t>(key >> 1) * 0x9e3779b1u >> shift_;
  }
  // Of the key, or of the empty slot where it belongs.
  std::size_t place_of(std::int32_t key) const {
    std::size_t i = first_place(key);
    while (slots_[i].count != 0 && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  Slot& slot(std::int32_t key) { return slots_[place_of(key)]; }
  std::uint64_t count_of(std::int32_t key) const { return slots_[place_of(key)].count; }
  // False if the stride is not among the first ones.
  bool add_key(std::int64_t stride, bool within, std::uint64_t count) {
    if (!small_p(stride) || count >> 32 != 0) return add_large(stride, within, count);
    const std::int32_t key = key_of(stride, within);
    Slot& place = slot(key);
    if (place.count == 0) return add_new(stride, within, static_cast<std::uint32_t>(count));
    const std::uint32_t sum = place.count + static_cast<std::uint32_t>(count);
    if (sum < place.count) [[unlikely]]
      return add_large(stride, within, count);
    place.count = sum;
    return true;
  }
  [[gnu::noinline]] void add_one_slowly(std::int64_t stride, bool within) {
    if (!add_key(stride, within, 1)) add_other(1, within);
  }
  // Executions with strides that have no entry.
  void add_other(std::uint64_t count, std::uint64_t within) {
    other += count;
    other_within += within;
  }
  bool add_new(std::int64_t stride, bool within, std::uint32_t count);
  bool add_large(std::int64_t stride, bool within, std::uint64_t count);
  bool known(std::int64_t stride, bool within);
  bool take_place(std::int64_t stride, bool within);

  // A site whose strides are random soon has a full table and few strides that
  // are in it: 64 K bits tell most of the others without a look at the table,
  // which is eight times as large.
  bool surely_absent(std::int64_t stride) const {
    if (filter_.empty()) return false;
    const std::uint64_t bit = filter_bit(stride);
    return (filter_[bit / 64] >> bit % 64 & 1) == 0;
  }
  static std::uint64_t filter_bit(std::int64_t stride) {
    return static_cast<std::uint64_t>(stride) * 0x9e3779b97f4a7c15u >> 48;
  }

  std::vector<Slot> slots_;
  // By stride: executions, and those of them inside one object.
  std::unordered_map<std::int64_t, std::array<std::uint64_t, 2>> large_;
  std::vector<std::uint64_t> filter_;  // when there are k_max_distinct
  unsigned shift_ = 32 - k_first_bits;  // of a hash of 32 bits
  std::size_t slots_used_ = 0;
  std::size_t used_ = 0;  // distinct strides
};

}  // namespace memprof::backend
