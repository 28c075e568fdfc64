// huge_pages.h - an allocator for large tables that are asked at random.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Such a table misses the TLB as often as the cache, and each of its small pages is a page fault
// when the table is filled. From 2 MB on it lies in huge pages, if the kernel has some.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace memprof::backend {

template <typename T>
struct HugePages : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = HugePages<U>;
  };
  T* allocate(std::size_t n) {
    if (small_p(n)) return std::allocator<T>::allocate(n);
    const std::size_t bytes = (n * sizeof(T) + k_page - 1) & ~(k_page - 1);
    void* const p = std::aligned_alloc(k_page, bytes);
    if (!p) throw std::bad_alloc();
    madvise(p, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t n) {
    if (small_p(n))
      std::allocator<T>::deallocate(p, n);
    else
      std::free(p);
  }

 private:
  static constexpr std::size_t k_page = std::size_t{2} << 20;
  static bool small_p(std::size_t n) { return n * sizeof(T) < k_page; }
};

}  // namespace memprof::backend
