// large_memory.cc - memory of large tables that are read at random places.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/large_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace memprof::streams {
namespace {

constexpr std::size_t k_huge_page = std::size_t{2} << 20;
constexpr std::size_t k_large = 2 * k_huge_page;

std::size_t in_pages(std::size_t bytes) {
  return (bytes + k_huge_page - 1) / k_huge_page * k_huge_page;
}

// Addresses for BYTES, without memory, at a multiple of the size of a huge page.
char* reserve(std::size_t bytes) {
  const std::size_t all = bytes + k_huge_page;
  void* const block = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  char* const start = static_cast<char*>(block);
  char* const aligned = reinterpret_cast<char*>(in_pages(reinterpret_cast<std::uintptr_t>(start)));
  if (aligned != start) munmap(start, static_cast<std::size_t>(aligned - start));
  munmap(aligned + bytes, static_cast<std::size_t>(start + all - (aligned + bytes)));
  return aligned;
}

void* mapped(std::size_t bytes) {
  char* const block = reserve(bytes);
  if (mprotect(block, bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(block, bytes);
    throw std::bad_alloc();
  }
  madvise(block, bytes, MADV_HUGEPAGE);  // without them it is slower, not wrong
  return block;
}

}  // namespace

void* large_zeroed(std::size_t bytes) {
  if (bytes >= k_large) return mapped(in_pages(bytes));
  void* const block = std::calloc(1, bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void* large_grown(void* old, std::size_t old_bytes, std::size_t bytes) {
  if (bytes < k_large) {
    void* const block = std::realloc(old, bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  if (old_bytes < k_large) {
    void* const block = mapped(in_pages(bytes));
    if (old_bytes != 0) std::memcpy(block, old, old_bytes);
    std::free(old);
    return block;
  }
  const std::size_t have = in_pages(old_bytes), want = in_pages(bytes);
  if (have == want) return old;
  char* const place = reserve(want);
  if (mremap(old, have, want, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
    munmap(place, want);
    throw std::bad_alloc();
  }
  madvise(place, want, MADV_HUGEPAGE);
  return place;
}

void large_free(void* block, std::size_t bytes) {
  if (bytes >= k_large)
    munmap(block, in_pages(bytes));
  else
    std::free(block);
}

}  // namespace memprof::streams
