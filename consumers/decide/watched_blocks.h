// watched_blocks.h - allocation calls whose largest block a rebuilt program knows.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Problem: the cache held what a load ranges over when the program was profiled, and may not
// hold it with a larger input.  Only the running program knows how large its input is.
//
// A call that made blocks of 16 KB and more in the profile leaves the size of its largest
// one in a variable, which loops compare with a limit before they prefetch (the plugin's
// block_watch.cc).  Units of the program share it by its name, which is that of the call:
//
//     table = malloc (n * 8);       // largest = max (largest, n * 8)
//
// Small objects are not watched: there it would cost as much as the call itself, and how
// many of them are alive would have to be counted.
#pragma once

#include <cstdint>
#include <string>

#include "consumers/decide/allocation_index.h"

namespace memprof::decide {

// The name of the variable of the call KEY, which has made what FACTS says: 16 digits; empty: none.
std::string watched_name(const AllocationIndex::Key& key, const ObjectFacts& facts);

// The size of the largest block of the call in the profile, or more; 0: it made none.
std::uint64_t largest_block(const ObjectFacts& facts);

}  // namespace memprof::decide
