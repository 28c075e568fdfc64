// growing_array.h - an array that grows by a quarter, and not by copying.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// std::vector doubles: of a grammar of 100 million symbols half of the memory would be empty, and
// while it grows there are three times as many. realloc() moves pages instead of bytes when a
// block is large. What lies in it must not mind being moved.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace memprof::streams {

template <typename T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  ~GrowingArray() { std::free(data_); }
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
    const std::size_t more = capacity_ + capacity_ / 4 + 16;
    void* const data = std::realloc(data_, more * sizeof(T));
    if (data == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(data);
    capacity_ = more;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace memprof::streams
