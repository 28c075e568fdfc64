// code_facts.h - what the compiler tells a decision about the code, in plain data.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The plugin's GCC side fills these structs in, consumers/decide reads them, and both
// include this header.  So it has numbers and pointers only: no container, and no
// function that can throw.  Strings belong to the caller for the time of one call.
#pragma once

#include <stdint.h>

namespace memprof::decide {

// What a rebuild can do with a profile.
enum class Transformation : uint8_t {
  branch_counts,  // the branches of a function get the probabilities that were measured
  co_allocation,  // the objects of several allocation calls come from one arena
  field_order,    // the fields of a record get other places
  hot_functions,  // a function gets the options for loops that GCC has for measured code
  huge_pages,     // for the objects of an allocation call, in an arena or malloc's heap; a variable
  prefetch,
  streaming_stores,  // stores past the caches, of lines that nothing accesses soon
  versioning      // a loop gets a copy whose loads and stores never meet
};

inline constexpr Transformation k_transformations[] = {
    Transformation::branch_counts, Transformation::co_allocation, Transformation::field_order,
    Transformation::hot_functions, Transformation::huge_pages,    Transformation::prefetch,
    Transformation::streaming_stores, Transformation::versioning};

// The words for a transformation in options, veto files and remarks.  The first is the
// one that is printed; the others are understood.
struct TransformationWord {
  const char* word;
  Transformation transformation;
};
inline constexpr TransformationWord k_transformation_words[] = {
    {"branch-counts", Transformation::branch_counts},
    {"branch_counts", Transformation::branch_counts},
    {"co-allocation", Transformation::co_allocation},
    {"co_allocation", Transformation::co_allocation},
    {"field-order", Transformation::field_order}, {"field_order", Transformation::field_order},
    {"layout", Transformation::field_order},      {"hot-functions", Transformation::hot_functions},
    {"hot_functions", Transformation::hot_functions},
    {"huge-pages", Transformation::huge_pages},   {"huge_pages", Transformation::huge_pages},
    {"prefetch", Transformation::prefetch},
    {"streaming-stores", Transformation::streaming_stores},
    {"streaming_stores", Transformation::streaming_stores},
    {"versioning", Transformation::versioning}};

constexpr const char* name(Transformation transformation) {
  for (const TransformationWord& row : k_transformation_words)
    if (row.transformation == transformation) return row.word;
  return "";
}

// What a decision is about.
struct Candidate {
  Transformation transformation = Transformation::prefetch;
  const char* file = "";
  unsigned line = 0, column = 0;
  const char* function = "";    // or the name of a type
  const char* expression = "";  // what is transformed, in the words of the source
  // Where the user forbids it, as FILE:LINE of a veto file; null: nowhere.
  const char* veto = nullptr;
};

// How the address of a load comes about.
enum class Shape : uint8_t {
  unknown,
  affine,    // it advances by a constant: arrays in order
  strided,   // the same, but most of the lines between are left out
  indirect,  // a[b[i]], also through arithmetic such as a hash
  linked,    // p->field with p loaded from a node of the same kind
  search     // one of two places, by a comparison with what was loaded before; both are known
};

// What a load is to a list that an inner loop walks in each iteration, as a bucket's chain.
enum class ListPart : uint8_t {
  none,
  start,  // it loads the pointer to the first node
  first,  // it loads from the first node
  second  // from the one after
};

struct PrefetchCode {
  Shape shape = Shape::unknown;
  const char* obstacle = nullptr;  // why no look-ahead is possible; null: it is
  double instructions = 0;         // per iteration (linked, no loop: per call)
  // Share of the executions after which the processor cannot run ahead until the
  // value is there: the rate of mispredictions when the value decides a branch, 1 when
  // it goes to a call, 0 when nothing that matters waits.
  double waits = 0;
  // Another load takes its address from the value, so that two misses follow each
  // other.
  bool chained = false;
  // indirect: the load that is moved ahead (b of a[b[i]]), as the ordinal of its site or
  // -1, and how many bytes it advances per iteration.
  int index_ordinal = -1;
  int64_t index_step = 0;
  int64_t step = 0;  // strided: bytes that the address advances per iteration
  // Between index and address is another load, a[b[c[i]]], which may have a prefetch
  // of its own.
  bool staged = false;
  bool covered = false;  // a prefetch of the same loop fetches the line already
  // The first address in each entry of the load's loop is meant; the numbers are of
  // the loop around it, in which the address is indirect.
  bool entry = false;
  // The ordinals of the load of each list that comes to a node first, and of that of the
  // pointer to the first node, or -1; and which of the list's other lines have a prefetch.
  ListPart list = ListPart::none;
  int node_ordinal = -1, start_ordinal = -1;
  bool start_asked = false, first_asked = false;
  // search: the compiler made two loops of it, and the profile counts the entries of the inner.
  bool in_two_loops = false;
  // The rebuilt program can measure whether the prefetch pays.
  bool trial = false;
  // The load is in a function that the loop calls; the numbers are of that loop, too.
  bool call = false;
  uint64_t outer_invocations = 0, outer_iterations = 0;
};

// A store of a loop and another access in it that the compiler cannot tell to be
// elsewhere; ordinals of sites.
struct SitePair {
  unsigned store, other;
};

struct VersioningCode {
  const char* obstacle = nullptr;  // why the loop cannot be versioned; null: it can
  double instructions = 0;         // per iteration of the innermost loop
  unsigned checks = 0;             // pairs of address ranges to be compared
  unsigned hoisted = 0;            // loads per iteration that become invariant
  unsigned moved = 0;              // stores per iteration that move after the loop
  // Elements of a vector, when the copy can be vectorised and the loop as it is cannot;
  // else 1.
  unsigned lanes = 1;
  // Accesses per iteration that two iterations of the loop around the innermost one
  // share, when they can be done at once.
  unsigned shared = 0;
};

// A function that may get GCC's options for measured code.
struct FunctionCode {
  const char* obstacle = nullptr;  // why it cannot have them; null: it can
};

// An edge from one block of a function to another one.
struct FlowEdge {
  unsigned from, to;
  double probability;  // as GCC guesses
};

// A site, by its ordinal, and the block that has it.
struct BlockSite {
  unsigned block, ordinal;
};

// An edge, by its number, that is the only way into a loop, and a site whose innermost loop that is.
struct LoopEntry {
  unsigned edge, ordinal;
};

// The flow of control of a function.  Blocks are numbered from 0, the entry and the exit included.  Edges of exceptions
// are left out, as if none were thrown; one of a computed jump or of longjmp is two: from its block to the exit, and from
// the entry to its target.
struct BranchCode {
  const char* obstacle = nullptr;  // why its branches keep their probabilities; null: they need not
  unsigned block_count = 0, edge_count = 0, site_count = 0, entry_count = 0;
  const FlowEdge* edges = nullptr;
  const BlockSite* sites = nullptr;
  const LoopEntry* entries = nullptr;
  // Of each block, the number of the first of those that are executed as often as it in any run: of two in one loop, each
  // way from the one leads to the other, and back.
  const unsigned* classes = nullptr;
  const double* guesses = nullptr;  // executions of the blocks in one call, as GCC guesses
};

// Stores of a loop that write whole lines, one after the other.
struct StreamingCode {
  const char* obstacle = nullptr;  // why they cannot bypass the caches; null: they can
  double instructions = 0;         // per iteration of the innermost loop
  uint64_t written = 0;            // bytes that they write per iteration
  // Ordinals of their sites, and of those of the other loads and stores of the loop.
  unsigned store_count = 0, other_count = 0;
  const unsigned* stores = nullptr;
  const unsigned* others = nullptr;
};

// Which loop of the profile a VersioningCode is about: the innermost one around the
// site ORDINAL, or LEVELS_OUT loops further out; and what the checks are for.
struct LoopOfSite {
  unsigned ordinal = 0, levels_out = 0;
  unsigned pair_count = 0;
  const SitePair* pairs = nullptr;
};

// An allocation call, in the words of the profile's groups.
struct AllocationCode {
  const char* file = "";
  unsigned line = 0;
  const char* function = "";
  const char* type = "";
  bool replaceable = false;  // by a call of the arena's library; else it is of a wrapper
  bool elsewhere = false;    // the profile may have it in another function
};

// The definition of a variable, in the words of the profile's groups.
struct VariableCode {
  const char* file = "";
  unsigned line = 0;
  const char* name = "";
  const char* type = "";
  const char* obstacle = nullptr;  // why it cannot have huge pages; null: it can
};

// A definition of a record type.
struct RecordCode {
  const char* name = "";
  uint32_t key = 0;                // as RecordType::key in the profile
  unsigned fields = 0;
  const char* obstacle = nullptr;  // why this compile cannot move them; null: it can
};

}  // namespace memprof::decide
