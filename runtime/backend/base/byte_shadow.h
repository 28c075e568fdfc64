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
#include <vector>

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
  // touched, by address.
  template <typename Fn>
  void for_touched(std::uint64_t address, std::uint64_t width, Fn&& fn) {
    if (width == 0) return;
    const std::uint64_t end = address + width, first = address / k_bytes, last = (end - 1) / k_bytes;
    const auto visit = [&](std::uint64_t number, Page& page) {
      const std::uint64_t begin = std::max(address, number * k_bytes);
      const std::uint64_t stop = std::min(end, (number + 1) * k_bytes);
      for (std::uint64_t a = begin; a < stop; a++) fn(page[a % k_bytes]);
    };
    if (last - first < pages_.size()) {
      for (std::uint64_t number = first; number <= last; number++)
        if (const auto page = pages_.find(number); page != pages_.end()) visit(number, *page->second);
      return;
    }
    // A large object of which few pages were touched.
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, page] : pages_)
      if (number >= first && number <= last) numbers.push_back(number);
    std::sort(numbers.begin(), numbers.end());
    for (const std::uint64_t number : numbers) visit(number, *pages_.at(number));
  }

 private:
  static constexpr std::uint64_t k_bytes = 4096;
  using Page = std::array<T, k_bytes>;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t number_ = ~std::uint64_t{0};  // of the last page
  Page* page_ = nullptr;
};

}  // namespace memprof::backend
