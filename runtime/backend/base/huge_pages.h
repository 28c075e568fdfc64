// huge_pages.h - memory for large tables that are asked at random.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Such a table misses the TLB as often as the cache, and each of its small pages is a page fault
// when the table is filled. So it lies in huge pages, if the kernel has some.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "runtime/backend/machine/machine.h"

namespace memprof::backend {

// Zeroed memory that costs nothing until it is touched.
inline void* map_pages(std::size_t bytes, int protection = PROT_READ | PROT_WRITE) {
  void* p = mmap(nullptr, bytes, protection,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return p;
}

// The same in huge pages but for its first SMALL bytes, a multiple of a page.
inline void* map_huge_pages(std::size_t bytes, std::size_t small = 0) {
  bytes = (bytes + page_bytes() - 1) & ~(page_bytes() - 1);
  char* const room = static_cast<char*>(map_pages(bytes + k_huge_page_bytes));
  const std::size_t before =
      -(reinterpret_cast<std::uintptr_t>(room) + small) % k_huge_page_bytes;
  char* const p = room + before;
  if (before != 0) munmap(room, before);
  munmap(p + bytes, k_huge_page_bytes - before);
  if (bytes > small) madvise(p + small, bytes - small, MADV_HUGEPAGE);
  return p;
}

// An allocator that takes such from 2 MB on. From malloc, which keeps what is given back: tables
// that grow with each burst would have their page faults each time.
template <typename T>
struct HugePages : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = HugePages<U>;
  };
  T* allocate(std::size_t n) {
    if (small_p(n)) return std::allocator<T>::allocate(n);
    const std::size_t bytes = (n * sizeof(T) + k_huge_page_bytes - 1) & ~(k_huge_page_bytes - 1);
    void* const p = std::aligned_alloc(k_huge_page_bytes, bytes);
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
  static bool small_p(std::size_t n) { return n * sizeof(T) < k_huge_page_bytes; }
};

}  // namespace memprof::backend
