// sparse_table.h - tables indexed by an address, and arrays that never move.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A SparseTable<T, SHIFT> holds one T for each 2^SHIFT bytes of the user
// address space, zero at first. Only what is written takes memory: a leaf per
// 4 GB of address space (2^LEAF) is mapped on its first write, and the kernel backs the
// pages of a leaf that are touched. Addresses without a leaf read one shared
// leaf of zeroes, so a read is two dependent loads and no test:
//
//     (empty + top[address >> 32])[(address & 0xffffffff) >> SHIFT]
//
// (One flat mapping would save the first load, but needs terabytes of address
// space, which `ulimit -v' and overcommit rules refuse.)
//
// A SparseArray<T> is an array with room for CAPACITY elements that never
// move, so that other threads may read elements that were written before they
// were notified of them. It is filled from its beginning, so that what is after
// the first 64 KB, which most programs do not need, lies in huge pages. Where addresses
// are limited (`ulimit -v'), it has room for fewer: capacity() says for how many.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/backend/base/huge_pages.h"

namespace memprof::backend {

// Makes [first, last) zero; gives whole pages of long stretches back.
inline void clear_sparse(void* first, void* last) {
  constexpr std::uintptr_t k_worth_a_call = 64 * k_page_bytes;
  const auto a = reinterpret_cast<std::uintptr_t>(first);
  const auto b = reinterpret_cast<std::uintptr_t>(last);
  if (b - a < k_worth_a_call) {
    std::memset(first, 0, b - a);
    return;
  }
  const auto inner_a = (a + page_bytes() - 1) & ~(page_bytes() - 1);
  const auto inner_b = b & ~(page_bytes() - 1);
  std::memset(first, 0, inner_a - a);
  madvise(reinterpret_cast<void*>(inner_a), inner_b - inner_a, MADV_DONTNEED);
  std::memset(reinterpret_cast<void*>(inner_b), 0, b - inner_b);
}

// Leaves of tables by byte are smaller: 4 GB of addresses would take 4 to 16 GB of ours.
inline constexpr int k_leaf_by_byte = 26;

template <typename T, int SHIFT, int LEAF = 32>
class SparseTable {
 public:
  SparseTable()
      : empty_(static_cast<T*>(map_pages(k_leaf_bytes, PROT_READ))),
        top_(static_cast<std::ptrdiff_t*>(map_pages(k_top_bytes))) {}
  ~SparseTable() {
    for (std::size_t i = 0; i < leaves_in_use_; i++)
      if (top_[i] != 0) munmap(empty_ + top_[i], k_leaf_bytes);
    munmap(top_, k_top_bytes);
    munmap(empty_, k_leaf_bytes);
  }
  SparseTable(const SparseTable&) = delete;
  SparseTable& operator=(const SparseTable&) = delete;

  // ADDRESS must be below 2^k_address_bits.
  T get(std::uint64_t address) const {
    return *place(address);
  }
  const T* place(std::uint64_t address) const {
    return empty_ + top_[address >> LEAF] + ((address & k_in_leaf) >> SHIFT);
  }
  // The same for any word, of which the upper bits do not matter.
  const T* place_of_any(std::uint64_t word) const {
    return place(word & ((std::uint64_t{1} << k_address_bits) - 1));
  }
  T& at(std::uint64_t address) {
    const std::size_t leaf = address >> LEAF;
    if (top_[leaf] == 0) [[unlikely]] {
      top_[leaf] = static_cast<T*>(map_pages(k_leaf_bytes)) - empty_;
      leaves_in_use_ = std::max(leaves_in_use_, leaf + 1);
    }
    return empty_[top_[leaf] + static_cast<std::ptrdiff_t>((address & k_in_leaf) >> SHIFT)];
  }

  // Whether a cell of the leaf of ADDRESS was ever written.
  bool written(std::uint64_t address) const { return top_[address >> LEAF] != 0; }

  // Sets every cell that [first, last) touches.
  void fill(std::uint64_t first, std::uint64_t last, T value) {
    for_leaves(first, last, [&](std::uint64_t a, std::uint64_t cells) {
      std::fill_n(&at(a), cells, value);
    });
  }
  void clear(std::uint64_t first, std::uint64_t last) {
    for_leaves(first, last, [&](std::uint64_t a, std::uint64_t cells) {
      if (top_[a >> LEAF] == 0) return;
      T* cell = &at(a);
      clear_sparse(cell, cell + cells);
    });
  }
  // Calls fn(a, b) for the part [a, b) of [first, last) in each cell that is not zero, by address. What was
  // never written costs little, however long it is. FN may change the cell.
  template <typename Fn>
  void for_set(std::uint64_t first, std::uint64_t last, Fn&& fn) const {
    for_leaves(first, last, [&](std::uint64_t address, std::uint64_t cells) {
      if (!written(address)) return;
      const T* const cell = place(address);
      for (std::uint64_t i = 0, a = address; i < cells; i++) {
        const std::uint64_t b = std::min(last, ((a >> SHIFT) + 1) << SHIFT);
        if (cell[i] != T()) fn(a, b);
        a = b;
      }
    });
  }
  // True if every cell that [first, last) touches is zero.
  bool zero(std::uint64_t first, std::uint64_t last) const {
    bool all = true;
    for_leaves(first, last, [&](std::uint64_t a, std::uint64_t cells) {
      const T* cell = place(a);
      if (top_[a >> LEAF] != 0 && all)
        all = std::all_of(cell, cell + cells, [](T t) { return t == T(); });
    });
    return all;
  }

 private:
  static constexpr std::uint64_t k_in_leaf = (std::uint64_t{1} << LEAF) - 1;
  static constexpr std::size_t k_leaves = std::size_t{1} << (k_address_bits - LEAF);
  static constexpr std::size_t k_top_bytes = k_leaves * sizeof(std::ptrdiff_t);
  static constexpr std::size_t k_leaf_bytes = (std::size_t{1} << (LEAF - SHIFT)) * sizeof(T);

  template <typename Fn>
  static void for_leaves(std::uint64_t first, std::uint64_t last, Fn&& fn) {
    while (first < last) {
      const std::uint64_t leaf_end = (first & ~k_in_leaf) + k_in_leaf + 1;
      const std::uint64_t end = std::min(last, leaf_end);
      fn(first, ((end - 1) >> SHIFT) - (first >> SHIFT) + 1);
      first = end;
    }
  }

  T* const empty_;
  // Where each leaf lies, from the empty one on: 0, as memory is at first, is that itself.
  std::ptrdiff_t* const top_;
  std::size_t leaves_in_use_ = 0;  // no leaf from here on was ever written
};

// The most that one array may have: a sixteenth of the addresses.
inline std::size_t most_array_bytes() {
  static const std::size_t most = [] {
    rlimit limit;
    const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? std::max(limit.rlim_cur / 16, rlim_t{1} << 20) : ~std::size_t{0};
  }();
  return most;
}

template <typename T>
class SparseArray {
 public:
  explicit SparseArray(std::size_t capacity)
      : bytes_(std::min(capacity, most_array_bytes() / sizeof(T)) * sizeof(T)),
        data_(static_cast<T*>(map_huge_pages(bytes_, k_small_bytes))) {}
  ~SparseArray() { munmap(data_, bytes_); }
  SparseArray(const SparseArray&) = delete;
  SparseArray& operator=(const SparseArray&) = delete;

  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t capacity() const { return bytes_ / sizeof(T); }

 private:
  static constexpr std::size_t k_small_bytes = std::size_t{64} << 10;

  std::size_t bytes_;
  T* data_;  // trivial T, zero at first
};

}  // namespace memprof::backend
