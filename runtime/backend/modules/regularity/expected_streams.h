// expected_streams.h - which stream expects an address: a hash table for stream_detector.h.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Nearly each reference of a regular program takes one entry out and puts another one in,
// so entries lie in one array (linear probing), and one that goes away leaves no trace:
// those after it move up (Knuth, vol. 3, section 6.4, algorithm R).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memprof::backend {

inline constexpr std::uint32_t k_no_stream = ~std::uint32_t{0};

class ExpectedStreams {
 public:
  struct Entry {
    std::uint64_t address;
    std::uint32_t stream = k_no_stream;  // none: the entry is free
    bool store;
  };

  ExpectedStreams() : entries_(64) {}

  // Null: no stream expects it.
  Entry* find(std::uint64_t address, bool store) {
    for (std::size_t i = home(address, store);; i = next(i)) {
      Entry& e = entries_[i];
      if (e.stream == k_no_stream) return nullptr;
      if (e.address == address && e.store == store) return &e;
    }
  }
  // STREAM is the first stream that expects the address; returns the former first one, or none.
  std::uint32_t put(std::uint64_t address, bool store, std::uint32_t stream) {
    if (2 * size_ >= entries_.size()) grow();
    std::size_t i = home(address, store);
    for (; entries_[i].stream != k_no_stream; i = next(i))
      if (entries_[i].address == address && entries_[i].store == store)
        return std::exchange(entries_[i].stream, stream);
    entries_[i] = {address, stream, store};
    size_++;
    return k_no_stream;
  }
  void remove(Entry* entry) {
    size_--;
    std::size_t hole = static_cast<std::size_t>(entry - entries_.data());
    for (std::size_t i = next(hole); entries_[i].stream != k_no_stream; i = next(i)) {
      const std::size_t wanted = home(entries_[i].address, entries_[i].store);
      // Whether HOLE lies between WANTED and I.
      if (((i - wanted) & mask()) >= ((i - hole) & mask())) {
        entries_[hole] = entries_[i];
        hole = i;
      }
    }
    entries_[hole].stream = k_no_stream;
  }
  void clear() {
    entries_.assign(64, Entry{});
    size_ = 0;
  }

 private:
  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t home(std::uint64_t address, bool store) const {
    const std::uint64_t mixed = (address ^ std::uint64_t{store} << 63) * 0x9e3779b97f4a7c15;
    return (mixed >> 24) & mask();
  }
  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    size_ = 0;
    for (const Entry& e : old)
      if (e.stream != k_no_stream) put(e.address, e.store, e.stream);
  }

  std::vector<Entry> entries_;  // a power of two, at most half of them taken
  std::size_t size_ = 0;
};

}  // namespace memprof::backend
