// heap_pages.h - whether malloc's own heap gets huge pages.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "consumers/decide/allocation_index.h"
#include "consumers/decide/cost_model.h"
#include "consumers/decide/decision.h"

namespace memprof::decide {

// What is known about malloc's heap: all objects that no arena takes.
struct HeapFacts {
  std::uint64_t bytes = 0;      // most that is alive at a time
  std::uint64_t allocated = 0;  // all objects together
  std::uint64_t accesses = 0, program_accesses = 0;
  double faults = 0;  // pages of 4 KB that the program touches for the first time
  double misses = 0;  // of the TLB
};

// Cycles that huge pages save: FAULTS of small pages, less the first touch of the huge ones, and
// MISSES of the TLB.
double worth_of_pages(double faults, double misses, const CostModel& model);

// The heap of a program whose allocation calls are those of INDEX, with the inputs that
// MODEL assumes.
HeapFacts heap_facts(const AllocationIndex& index, const CostModel& model);

// decide_huge_pages, and where that refuses an arena, whether the call makes huge pages
// for the HEAP instead.  Then the decision has the number "heap", and "blocks" is 0.
Decision decide_allocation(const Candidate& candidate, const ObjectFacts& facts,
                           const HeapFacts& heap, const AllocationCode* code,
                           const CostModel& model);

}  // namespace memprof::decide
