// chunked_array.h - an array that grows without being copied.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A std::vector needs its old and its new room while it grows, and on average a third of the
// new one is empty. Here elements lie in chunks of 2^12, which stay where they are:
//
//     chunks   [0 .. 4095] [4096 .. 8191] [8192 ..     ]
//
// Room that was used once is kept.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace memprof::backend {

template <typename T>
class ChunkedArray {
 public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return chunks_[i / k_chunk][i % k_chunk]; }
  const T& operator[](std::size_t i) const { return chunks_[i / k_chunk][i % k_chunk]; }
  T& back() { return (*this)[size_ - 1]; }
  void push_back(const T& element) {
    if (size_ == chunks_.size() * k_chunk) [[unlikely]]
      chunks_.push_back(std::make_unique_for_overwrite<T[]>(k_chunk));
    (*this)[size_++] = element;
  }
  // Forgets all but the first N.
  void shrink(std::size_t n) { size_ = n; }

 private:
  static constexpr std::size_t k_chunk = std::size_t{1} << 12;

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace memprof::backend
