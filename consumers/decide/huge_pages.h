// huge_pages.h - which allocation calls get an arena with huge pages.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "consumers/decide/allocation_index.h"
#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"

namespace memprof::decide {

// A pure function of what the profile says about the objects of one allocation call
// (FACTS), what the compiler says about the call (CODE; null: `memprof advise' has none),
// and the machine.
Decision decide_huge_pages(const Candidate& candidate, const ObjectFacts& facts,
                           const AllocationCode* code, const CostModel& model);

// The bytes from one object of BYTES to the next in an arena; 0: it is too large for
// a slab.
std::uint64_t slab_object_bytes(std::uint64_t bytes);
// The same for objects of the mean size of FACTS.
std::uint64_t slab_bytes(const ObjectFacts& facts);

double accesses_per_page(std::uint64_t accesses, std::uint64_t bytes, const CostModel& model);
// Whether there are enough of them that huge pages are no waste.
bool dense(std::uint64_t accesses, std::uint64_t bytes, const CostModel& model);
// Whether more than half of the LARGE bytes of large objects was in no memory when the program ended,
// of which RESIDENT were: huge pages would more than double it. Not if nothing is known.
constexpr bool hollow(std::uint64_t large, std::uint64_t resident) { return resident < large / 2; }

// Whether the cache model saw that neighbours are visited soon after each other.
bool neighbours_together(const ObjectFacts& facts);

// Whether the rebuild can replace calls of ALLOCATOR.
bool replaceable(const std::string& allocator);
// Whether ALLOCATOR is a function of the program that gets its memory from others, as xmalloc does.
bool wrapper(const std::string& allocator);
// Whether the rebuild can say where the objects of a call shall lie: it replaces the call, or tells
// the malloc in the wrapper.
bool placeable(const ObjectFacts& facts);
// Whether its calls ask for an alignment: an arena has no small objects of theirs.
bool aligned(const std::string& allocator);

// FACTS with the allocator of CODE, if that is known: of two calls on one line, the profile names
// one.
ObjectFacts of_call(ObjectFacts facts, const AllocationCode* code);

// Whether it is for lack of misses that the objects have no arena.
bool too_few_misses(Reason reason);

// Why the call can have no arena of any kind, where that is the REASON; else empty.
std::string no_arena_text(Reason reason, const ObjectFacts& facts);

}  // namespace memprof::decide
