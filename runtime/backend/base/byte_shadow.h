// byte_shadow.h - something for each byte of memory.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// ByteShadow<T> has a T of any size for each byte, T() at first. Unlike
// SparseTable (sparse_table.h), T may have a constructor and own memory; it takes a
// page of Ts for each page of memory that at() touches.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace memprof::backend {

template <typename T>
class ByteShadow {
 public:
  T& at(std::uint64_t address) {
    if (address / k_bytes != number_) {
      auto& page = pages_[address / k_bytes];
      if (!page) page = std::make_unique<Page>();
      number_ = address / k_bytes;
      page_ = page.get();
    }
    return (*page_)[address % k_bytes];
  }
  // Calls fn(T&) for the bytes of [address, address + width) that at() may have
  // touched.
  template <typename Fn>
  void for_touched(std::uint64_t address, std::uint64_t width, Fn&& fn) {
    for (std::uint64_t a = address, end = address + width; a < end;) {
      const std::uint64_t next = std::min(end, (a / k_bytes + 1) * k_bytes);
      if (const auto page = pages_.find(a / k_bytes); page != pages_.end())
        for (; a < next; a++) fn((*page->second)[a % k_bytes]);
      a = next;
    }
  }

 private:
  static constexpr std::uint64_t k_bytes = 4096;
  using Page = std::array<T, k_bytes>;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t number_ = ~std::uint64_t{0};  // of the last page
  Page* page_ = nullptr;
};

}  // namespace memprof::backend
