// large_memory.h - memory of large tables that are read at random places.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A table of 100 MB in pages of 4 KB costs a miss of the TLB at each look, which is as much as the
// miss of the cache. From 4 MB on, blocks begin at a multiple of 2 MB and ask for huge pages, and
// they grow by moving pages (mremap), not bytes.
//
// The caller remembers sizes. Below 4 MB it is calloc and realloc; what is new need not be zero.
#pragma once

#include <cstddef>

namespace memprof::streams {

// All bytes 0. Throws std::bad_alloc.
void* large_zeroed(std::size_t bytes);
// A larger block that begins with the bytes of OLD, which is gone; OLD may be null.
void* large_grown(void* old, std::size_t old_bytes, std::size_t bytes);
void large_free(void* block, std::size_t bytes);

}  // namespace memprof::streams
