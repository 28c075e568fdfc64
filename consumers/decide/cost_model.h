// cost_model.h - what the decisions assume about the machine, with sources.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The defaults describe no particular model but the cautious side of present
// servers: a decision taken with them must also be right on a machine
// with a larger cache or a longer queue.  A profile with the module cache says which
// caches its machine has, and these count instead, or those that the user names
// (machine.h).
#pragma once

#include <cstdint>

namespace memprof::decide {

struct CostModel {
  // L2 per core: 2 MB on Sapphire Rapids, 1 MB on Zen 4 and Skylake-SP.  The
  // large one: data that fits it must not be prefetched.
  std::uint64_t l2_bytes = 2u << 20;
  // A group must be this many times larger, so that random accesses to it miss
  // L2 in more than half of all cases even though it holds nothing else.  Where the
  // module cache looked at the load, once is enough.
  double l2_factor = 2;
  // What the misses in the profile are of; 0: of the caches above.
  std::uint64_t modelled_l2_bytes = 0, modelled_tlb_bytes = 0;
  // How many times as large the inputs of the rebuilt program are as those of the profile.
  double input_scale = 1;
  // Share of the executions that must miss L2 in the cache module's model, if it
  // looked at the load.  Lower than what l2_factor asks for, because the model
  // is an estimate and its L2 that of the machine where the profile was made.
  double min_l2_misses = 0.1;
  // Last level: only the latency depends on it.
  std::uint64_t llc_bytes = 32u << 20;
  unsigned line_bytes = 64;
  unsigned page_bytes = 4096;

  // Second level of the data TLB: 2048 entries of 4 KB on Golden Cove, 1536 on
  // Skylake, 3072 on Zen 4.
  std::uint64_t tlb_bytes = 8u << 20;
  // A group must be this many times larger; at twice, half of its random accesses
  // miss.
  double tlb_factor = 1;
  // Below this huge pages cannot matter: 20,000 page walks are 1 ms.
  std::uint64_t min_tlb_misses = 20000;
  // Of all accesses of the program.  A walk takes some 40 cycles, an access one:
  // then these are 4 % of the time.
  double min_tlb_share = 0.001;
  // Cycles of a walk of the page tables, and of the first touch of a huge page: 2 MB
  // are cleared at 20 bytes a cycle.  That is less than 512 small pages cost, which
  // it replaces, as long as the memory is there; a host that has to fetch it first
  // takes 4 to 14 ms instead (measured), which no profile foretells.  Hence a
  // precaution, and small: a training run is shorter than those that follow.
  double tlb_miss_cycles = 40;
  double huge_page_cycles = 100000;
  std::uint64_t huge_page_bytes = 2u << 20;
  // Cycles of the first touch of a small page.  A page fault takes 1,500 (0.5 us) on bare
  // metal and up to 5,000 in a virtual machine.
  double page_fault_cycles = 1500;
  // malloc's heap: least size, the part of its objects that a call must make, and the part
  // of the program's time that huge pages must spare, at a cycle for each access.  It is
  // small because a training input is, while the heap that gets them is large: 3 seconds of
  // mg with a heap of 8 MB spare 0.3 %, with the 450 MB of the next class 40 %.
  std::uint64_t min_heap_bytes = 1u << 20;
  double min_heap_part = 0.01;
  double min_heap_share = 0.0005;
  // Variables: the least that is looked at, and what all of them must hold together.
  std::uint64_t min_variable_bytes = 256u << 10;
  std::uint64_t min_variables_bytes = 4u << 20;
  // The misses must be worth this many times the first touch.
  double min_repaid = 1.5;
  // Whether the rebuild gives allocation calls an arena at all.
  bool arenas = true;
  // The code may become part of a shared library: only programs linked with the option have arenas,
  // and elsewhere objects lie where malloc puts them.
  bool in_library = false;
  // Accesses per page of 4 KB in large blocks; random ones leave e^-2 = 14 % of
  // the pages untouched.
  double min_page_accesses = 2;

  // Co-allocation: whether the rebuild does it. What a miss of each level costs in cycles
  // more than a hit there, as latencies of Zen 3 and Golden Cove.
  bool shared_arenas = true;
  double l1_miss_cycles = 10;
  double l2_miss_cycles = 35;
  double llc_miss_cycles = 150;
  // Below this it cannot matter: 0.3 ms; and the share of all cycles that must be saved.
  double min_arena_cycles = 800000;
  double min_arena_share = 0.02;
  // Cycles of the misses before, by those after.
  double min_arena_gain = 1.1;
  // An arena for objects that do not miss the TLB (slab_worth.h): cycles of malloc and free beyond those of a
  // list, and the bytes alive below which malloc has the dead ones at hand, too.
  double reuse_cycles = 150;
  std::uint64_t min_reuse_bytes = 256 << 10;
  // Cycles of the misses in the order of the visits, by those now, for advice to reorder.
  double max_ordered_share = 0.7;

  // Misses of L2 at the fields of a type, below which their order cannot matter:
  // 3 ms; and their share of all accesses of the program.
  std::uint64_t min_field_misses = 20000;
  double min_field_miss_share = 0.001;
  // Without a model of the cache: accesses to its fields.
  std::uint64_t min_field_accesses = 100000;
  // Records that are no larger share lines with their neighbours, whatever the order of
  // their fields.
  std::uint64_t max_shared_bytes = 64;
  // Lines per visit of an object must fall by this factor.
  double min_line_gain = 1.1;
  // Whether the rebuild may move fields at all: -fprofile-mem-move-fields.
  bool move_fields = false;
  // For tests: the opposite order instead of the best one.
  bool reverse_fields = false;

  // Load-to-use in cycles of a random pointer chain with 4 KB pages, so with
  // its TLB misses.  Measured on a Sapphire Rapids server: 138 ns at 16 MB and
  // 174..233 ns at 256..1024 MB, at 2.3 GHz.
  double llc_latency = 300;
  double memory_latency = 450;

  // Instructions retired per cycle in loops that do not wait: between 1 and 3
  // in the loops of gzip, bzip2 and graph kernels.
  double instructions_per_cycle = 2;

  // Reorder window: 224 Skylake, 256 Zen 3, 512 Golden Cove.
  double window_instructions = 256;
  // Line fill buffers of L1: 12 Skylake, 16 Golden Cove.  So many prefetches are
  // under way at a time.
  double overlapping_misses = 12;
  // Loads leave the window in order and wait there for their values, so that the
  // processor by itself keeps fewer independent misses under way.  Measured on
  // Zen 5: gathers of one load an iteration get 1.2 to 1.35 times as fast by
  // prefetches, of two 1.5 to 1.8 times.
  double window_misses = 8;
  // What a prefetch adds to an iteration: the guarded load of the index (5), the
  // address, the prefetch.
  double prefetch_instructions = 7;
  // What is added to that by a second load that the address takes: its address, which is kept among the
  // places that were seen (4), these places (4), the load (seen_loads.cc).
  double second_load_instructions = 9;
  // A loop that advances by less is no strided one: it takes each line or every other.
  std::int64_t min_strided_bytes = 128;
  // What a prefetch adds where the address is known without a load: the addition, the
  // prefetch.
  double strided_instructions = 2;
  // Measured on Zen 5, with 32 and with 64 where the latency asks for it: rows of a sparse
  // matrix 1.30 and 1.51 times as fast, nodes of a list 1.47 and 1.65, one line of each
  // record of 256 bytes 1.8 and 2.3.
  unsigned max_distance = 64;

  // An iteration with an inner loop: most are this much shorter than the mean,
  // because few rows of a graph or matrix are long (power laws).
  double skew = 4;

  // Below this a prefetch cannot matter: 20,000 misses are 3 ms.
  std::uint64_t min_executions = 20000;
  // Iterations per loop entry; a look-ahead of half of it covers half of it.
  double min_trip_count = 6;
  // Of the latency that must be hidden for the cost of issuing to come back.
  double min_hidden = 0.1;
  // The loop must become so much faster by the model, whose figures for the
  // window and the misses are off by as much from machine to machine.
  double min_gain = 1.1;
  // The same of a loop that walks a list in each iteration: little, for what remains of the
  // walk is counted (list_gain.cc), and measured lists gained what the model says.
  double min_list_gain = 1.03;
  // A search: what a mispredicted branch costs, and what the prefetches of both next places
  // add to a step: two addresses, mostly of values that are there anyway, and two prefetches.
  double mispredict_cycles = 20;
  double search_instructions = 6;
  // The gain that it must have: little, for it is not bounded by guesses of distances and
  // overlap, and measured searches gained what the model says.
  double min_search_gain = 1.03;
  // Steps per entry, by the binary logarithm of the bytes that are searched.
  double max_search_steps = 4;
  // Share of the executions that stay on the line of the execution before.
  double max_line_local = 0.8;
  // An access under a condition: share of the iterations that perform it.
  double min_execution_ratio = 0.4;
  // Strongly strided, single stride: Y. Wu, PLDI 2002, section 3.
  double strong_share = 0.7;
  // Chance that the node d strides ahead is the one needed d steps later.
  double min_on_path = 0.5;

  // Versioning: iterations of a loop.  At 10 cycles each, 20,000 are 0.1 ms;
  // they cost nothing but code.
  std::uint64_t min_loop_iterations = 20000;
  // Where the estimate of a sampled profile is lower, and passes only for its error, a copy
  // of the loop must gain more than where the iterations were seen.
  std::uint64_t sure_loop_iterations = 20000;
  double min_unsure_gain = 1.3;
  // Executions that meet what another access of the pair left in the same entry
  // of the loop: product rule of alias frequency, 2 %.
  double max_meet_frequency = 0.02;
  // Where a sampled profile does not say whether they do: what a check that fails at every
  // entry may add to it.
  double max_failing_check = 0.02;

  // Cycles that a versioned loop must save in the run of the profile: less than 10 us are not worth a
  // second copy of its code.
  double min_saved_cycles = 20000;

  // Hot functions: the least part of the program's accesses.
  double min_hot_share = 0.01;

  // Branch counts: the most that the executions of a block may be off, as a share of them (95 %).
  double max_branch_error = 0.5;

  // Streaming stores: cycles in which one processor moves a line from or to memory, one after the other.
  // Zen 4, a loop over three arrays of 96 MB: 2.05 ns a line with and without them.
  double streamed_line_cycles = 7;
  // Instructions retired per cycle in loops that advance by constant steps: Zen 3 and Golden Cove retire 6 and more.
  double streaming_instructions_per_cycle = 4;
  // Lines that are accessed again while the last level would have them, as a part of all.
  double max_streaming_reuse = 0.05;
  double min_streaming_gain = 1.05;
  // Bytes that an entry of the loop writes: the fence at its end takes some hundred cycles.
  double min_streaming_bytes = 64 << 10;
  // Whether the profile must say what becomes of the lines.
  bool streaming_evidence = true;

  // Takes all that the code allows, worth it or not: for tests of what is
  // inserted.
  static CostModel eager() {
    CostModel model;
    model.l2_factor = 0;
    model.min_l2_misses = 0;
    model.min_executions = 1;
    model.min_trip_count = 2;
    model.min_hidden = 0;
    model.min_gain = model.min_list_gain = model.min_search_gain = 0;
    model.max_search_steps = 1e9;
    model.max_line_local = 1;
    model.min_execution_ratio = 0;
    model.strong_share = 0.01;
    model.min_on_path = 1e-9;
    model.line_bytes = 1;
    model.min_strided_bytes = 1;
    model.min_loop_iterations = model.sure_loop_iterations = 1;
    model.max_meet_frequency = 1;
    model.max_failing_check = 1;
    model.min_saved_cycles = -1e300;
    model.min_hot_share = 0;
    model.max_streaming_reuse = 1;
    model.min_streaming_gain = 0;
    model.min_streaming_bytes = 1;
    model.streaming_evidence = false;
    model.tlb_factor = 0;
    model.min_tlb_misses = 0;
    model.min_tlb_share = 0;
    model.min_page_accesses = 0;
    model.huge_page_cycles = 0;
    model.min_variable_bytes = model.page_bytes;
    model.min_variables_bytes = 0;
    model.min_arena_cycles = 0;
    model.min_arena_share = 0;
    model.min_arena_gain = 0;
    model.min_field_misses = 0;
    model.min_field_miss_share = 0;
    model.min_field_accesses = 0;
    model.max_shared_bytes = 0;
    model.min_line_gain = 0;
    model.reverse_fields = true;
    return model;
  }
};

}  // namespace memprof::decide
