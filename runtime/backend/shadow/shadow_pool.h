// shadow_pool.h - memory for the pages of the shadow.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// There are millions of pages of few sizes, and which of them the program needs is
// as random as its accesses: blocks of 2 MB keep the cost of faults and of misses of
// the TLB down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/backend/base/huge_pages.h"

namespace memprof::backend {

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
      next_ = static_cast<char*>(map_huge_pages(k_block));
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
  static constexpr std::size_t k_block = k_huge_page_bytes;

  std::size_t size_, left_ = 0;
  char* next_ = nullptr;
  void* free_ = nullptr;
  std::vector<void*> blocks_;
};

}  // namespace memprof::backend
