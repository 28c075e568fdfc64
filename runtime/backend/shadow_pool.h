// shadow_pool.h - memory for the pages of the shadow.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// There are millions of pages of few sizes, and which of them the program needs is
// as random as its accesses: blocks of 2 MB keep the cost of faults and of misses of
// the TLB down.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace memprof::backend {

// Zeroed memory that costs nothing until it is touched.
inline void* map_pages(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return p;
}

// Objects of one size, cut from large blocks.
class Pool {
 public:
  explicit Pool(std::size_t size) : size_(size) {}
  // *FRESH: the memory is all zero.
  void* take(bool* fresh) {
    if (free_) {
      void* p = free_;
      std::memcpy(&free_, p, sizeof free_);
      *fresh = false;
      return p;
    }
    if (left_ < size_) {
      next_ = map_block();
      blocks_.push_back(next_);
      left_ = k_block;
    }
    void* p = next_;
    next_ += size_;
    left_ -= size_;
    *fresh = true;
    return p;
  }
  void give(void* p) {
    std::memcpy(p, &free_, sizeof free_);
    free_ = p;
  }
  ~Pool() {
    for (void* block : blocks_) munmap(block, k_block);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

 private:
  static constexpr std::size_t k_block = std::size_t{1} << 21;

  // One huge page, where the system has them.
  static char* map_block() {
    char* p = static_cast<char*>(map_pages(2 * k_block));
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(p) % k_block;
    if (before != 0) munmap(p, before);
    munmap(p + before + k_block, k_block - before);
    madvise(p + before, k_block, MADV_HUGEPAGE);
    return p + before;
  }

  std::size_t size_, left_ = 0;
  char* next_ = nullptr;
  void* free_ = nullptr;
  std::vector<void*> blocks_;
};

}  // namespace memprof::backend
