// model.h - a profile in memory: the plain structs of prog.memprof.json.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One struct per row of the file; doc/feedback-format.md has the same fields
// with their meaning for readers.  Those of profiling modules are in the folder tables.
// Counts are executions (one dynamic performance of a statement) unless said
// otherwise, addresses and sizes are bytes, times are accesses since start.
//
// Ids: a site, loop or group id is unique in the document.  Canonical order
// (writer.h) numbers them from 0 in document order.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "feedback/tables.def"

namespace memprof::feedback {

struct Program {
  std::string name, build_id, compiler, target, command;
};

// A function that is not instrumented and may write memory, and how often instrumented code
// called it.
struct ExternalFunction {
  std::string name;
  std::uint64_t calls = 0;
};

// What the user says of a run: MPRT_OPTIONS=label=NAME:VALUE.
struct Label {
  std::string name, value;

  auto operator<=>(const Label&) const = default;
};

// Everything that may differ between two runs of the same program.
struct Run {
  bool complete = true;
  std::string mode = "full";
  std::uint64_t runs = 1;
  std::uint64_t accesses = 0, loads = 0, stores = 0;
  std::uint64_t events_lost = 0, external_calls = 0;
  std::uint64_t objects = 0, threads = 1;
  double duration_s = 0;
  std::string caches;  // that the cache module modelled: doc/feedback-format.md
  // Sample mode: what was looked at, and what share of the run; counts are
  // extrapolated.  Lengths in places where a burst may begin.
  std::uint64_t bursts = 0, burst_length = 0, burst_period = 0;
  double share = 0;
  // ... and how often everything was, to see reuse: accesses in all windows together.
  std::uint64_t windows = 0, window_accesses = 0;
  std::string pages;  // what the module pages modelled: doc/pages.md
  std::vector<ExternalFunction> external_functions;  // by name; external_calls together
  std::uint64_t start = 0;    // of the first run, in seconds since 1970, UTC; 0: not known
  std::string host;           // that all runs were on; empty: several, or not known
  std::vector<Label> labels;  // that all runs have, by name
};

// A call that was inlined; frames.h.
struct Frame {
  std::uint32_t frame = 0;  // the call around it; 0: none
  std::string name;         // of the inlined function
  std::string file;         // of the call; empty: the module's file
  std::uint32_t line = 0, column = 0;
};

// A call, not inlined, of a function that a system header defines: what it costs is the caller's.
struct HeaderCall {
  std::string callee;  // linkage name
  std::string file;    // empty: the module's file
  std::uint32_t line = 0;

  auto operator<=>(const HeaderCall&) const = default;
};

struct Loop {
  Id id = k_none;
  Id parent = k_none;  // enclosing loop in the same function
  std::string file;    // empty: the module's file
  std::uint32_t line = 0;
  std::uint64_t invocations = 0;
  std::uint64_t iterations = 0;  // executions of the loop header
  double invocations_error = 0, iterations_error = 0;  // as Site::error
  std::uint32_t frame = 0;       // as Site::frame
};

struct Site {
  Id id = k_none;
  std::uint32_t ordinal = 0;  // in its function: the identity across compiles
  Access kind = Access::load;
  std::string file;           // empty: the module's file
  std::uint32_t line = 0, column = 0;
  std::uint32_t width = 0;    // bytes; 0 = known only when it runs
  Id loop = k_none;           // innermost
  std::string type, field, expression;
  std::string inlined_at;     // file:line of the call `frame'
  std::uint64_t executions = 0;
  double error = 0;           // sampled: 95 % lie within this share of executions
  std::uint32_t frame = 0;    // Function::frames[frame - 1]: inlined with this call; 0: not inlined
  std::string header;         // file:line:column of inlined code of a system header; line is that of the call
};

// Identity: (module file, linkage_name, checksum).
struct Function {
  std::string name, linkage_name;
  std::uint32_t checksum = 0;
  std::string file;  // empty: the module's file
  std::uint32_t line = 0;
  bool comdat = false;
  std::uint32_t never_executed = 0;  // sites without a row of their own
  // All loops of the site table, in its order, executed or not: the position
  // is a loop's identity across runs.
  std::vector<Loop> loops;
  std::vector<Frame> frames;  // inlined calls, each after the one around it
  std::vector<HeaderCall> calls;  // sorted
  std::vector<Site> sites;  // executed ones, by ordinal
};

struct Module {
  std::string file;
  std::string options;            // those that change code, as text
  std::uint32_t options_hash = 0;
  std::vector<Function> functions;
};

enum class GroupKind : std::uint8_t { heap, global, stack, mapped, unknown };

// All objects created at one program point.
struct Group {
  Id id = k_none;
  GroupKind kind = GroupKind::heap;
  std::string file;
  std::uint32_t line = 0;
  std::string function;   // that allocates; the variable's name for a global
  std::string allocator;  // "malloc", "operator new", ...
  std::string type;
  std::string context;    // innermost call sites, "a.c:3 < b.c:9", or empty
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;     // sum over the objects
  std::uint64_t span = 0;      // peak of the bytes alive at one time
  std::uint64_t accesses = 0;
  // Of the objects with 1 MB and more that lived at the end: all bytes, and those of pages that were
  // in memory. 0: not known.
  std::uint64_t large = 0, resident = 0;
  Id parent = k_none;          // of the blocks that the objects are carved from
  double error = 0;            // of `accesses', as Site::error
  // "NAME:ARG" for -fprofile-mem-alloc-fn: `function' returns what it allocates, for its callers.
  std::string wrapper;
};

struct Profile {
  std::string format = "1.2", tool;
  Program program;
  Run run;
  std::vector<Module> modules;
  std::vector<Group> groups;
  // Keys of the tables that the profiling modules which ran have filled
  // ("object_relative", "strides", ...); a named table is written even when it
  // is empty.  canonicalise() adds the keys of tables that have rows.
  std::vector<std::string> sections;
#define TABLE(name, Row) std::vector<Row> name;
#include "feedback/tables.def"
#undef TABLE
};

}  // namespace memprof::feedback
