// growing_array.h - an array that grows by little, and not by copying.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// std::vector doubles: of a grammar of 100 million symbols half of the memory would be empty, and
// while it grows there are three times as many. This one grows by a quarter, large ones by an
// eighth, and moves pages instead of bytes (large_memory.h). What lies in it must not mind being
// moved.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "feedback/streams/large_memory.h"

namespace memprof::streams {

template <typename T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  ~GrowingArray() { large_free(data_, bytes()); }
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    swap(other);
    return *this;
  }

  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }
  void push_back(const T& value) {
    if (size_ == capacity_) grow();
    data_[size_++] = value;
  }

 private:
  void swap(GrowingArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  [[gnu::noinline]] void grow() {
    constexpr std::size_t k_many = 1 << 20;
    const std::size_t more = capacity_ + capacity_ / (capacity_ < k_many ? 4 : 8) + 16;
    data_ = static_cast<T*>(large_grown(data_, bytes(), more * sizeof(T)));
    capacity_ = more;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace memprof::streams
