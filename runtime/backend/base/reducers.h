// reducers.h - what a profile keeps of many values of one key.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A reducer takes values one by one and keeps a few words of them; merge() adds
// what another one of the same key has seen. Both orders give the same, so that a
// stream can be split among workers by any key and their partial results added:
//
//   Count     how many          {}       -> 0    3, 4, 4 -> 3
//   Sum       their sum                           3, 4, 4 -> 11
//   Least, Greatest                               3, 4, 4 -> 3, 4
//   Constant  the value if it never changes       3, 4, 4 -> not constant
//   SmallSet<N>  up to N values with counts       3, 4, 4 -> 3 once, 4 twice
//
// A ReducingMap (reducing_map.h) has one for each key.
//
// Affine and Repeats are about the order of the values: all values of a key must
// come to one worker.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace memprof::backend {

struct Count {
  std::uint64_t n = 0;
  void insert(std::uint64_t) { n++; }
  void merge(const Count& other) { n += other.n; }
};

struct Sum {
  std::uint64_t sum = 0;
  void insert(std::uint64_t value) { sum += value; }
  void merge(const Sum& other) { sum += other.sum; }
};

template <typename T>
struct Least {
  T value = std::numeric_limits<T>::max();
  void insert(T other) { value = std::min(value, other); }
  void merge(const Least& other) { insert(other.value); }
};

template <typename T>
struct Greatest {
  T value = std::numeric_limits<T>::min();
  void insert(T other) { value = std::max(value, other); }
  void merge(const Greatest& other) { insert(other.value); }
};

// At most N different values; more are none (`top').
template <std::size_t N>
class SmallSet {
 public:
  struct Entry {
    std::uint64_t value, count;
  };
  void insert(std::uint64_t value, std::uint64_t count = 1) {
    for (std::size_t i = 0; i < size_; i++)
      if (entries_[i].value == value) {
        entries_[i].count += count;
        return;
      }
    if (size_ < N && !top_)
      entries_[size_++] = {value, count};
    else
      top_ = true, size_ = 0;
  }
  void merge(const SmallSet& other) {
    if (other.top_) top_ = true, size_ = 0;
    if (top_) return;
    for (std::size_t i = 0; i < other.size_; i++)
      insert(other.entries_[i].value, other.entries_[i].count);
  }
  bool top() const { return top_; }
  // By value; empty if there were more than N, or none.
  std::vector<Entry> entries() const {
    std::vector<Entry> sorted(entries_.begin(), entries_.begin() + size_);
    std::sort(sorted.begin(), sorted.end(),
              [](const Entry& a, const Entry& b) { return a.value < b.value; });
    return sorted;
  }

 private:
  std::array<Entry, N> entries_{};
  std::size_t size_ = 0;
  bool top_ = false;
};

class Constant {
 public:
  void insert(std::uint64_t value) { set_.insert(value); }
  void merge(const Constant& other) { set_.merge(other.set_); }
  bool constant() const { return !set_.top() && !set_.entries().empty(); }
  std::uint64_t value() const { return set_.entries()[0].value; }

 private:
  SmallSet<1> set_;
};

// first, first + step, first + 2 * step, ... modulo 2^BITS; at least two values.
class Affine {
 public:
  void insert(std::uint64_t value, unsigned bits = 64) {
    // In the high bits, arithmetic is that of the narrower type.
    shift_ = static_cast<std::uint8_t>(64 - bits);
    value <<= shift_;
    if (n_ == 0) first_ = value;
    if (n_ == 1) step_ = value - first_, next_ = value;
    affine_ &= n_ < 2 || value == next_;
    next_ += step_;
    n_ += n_ < 2;
  }
  bool affine() const { return affine_ && n_ == 2; }
  std::uint64_t first() const { return first_ >> shift_; }
  std::int64_t step() const { return static_cast<std::int64_t>(step_) >> shift_; }

 private:
  std::uint64_t first_ = 0, step_ = 0, next_ = 0;
  std::uint8_t n_ = 0, shift_ = 0;
  bool affine_ = true;
};

// How often the value was that of the time before.
class Repeats {
 public:
  void insert(std::uint64_t value) {
    repeats_ += any_ && value == last_;
    last_ = value;
    any_ = true;
  }
  std::uint64_t count() const { return repeats_; }

 private:
  std::uint64_t last_ = 0, repeats_ = 0;
  bool any_ = false;
};

}  // namespace memprof::backend
