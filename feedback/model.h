// model.h - a profile in memory: the plain structs of prog.memprof.json.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One struct per row of the file; doc/feedback-format.md has the same fields
// with their meaning for readers, feedback/schema.cc their names in JSON.
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

#include "feedback/cache_rows.h"
#include "feedback/id.h"

namespace memprof::feedback {

enum class Access : std::uint8_t { load, store };

struct Program {
  std::string name, build_id, compiler, target, command;
};

// A function that is not instrumented and may write memory, and how often instrumented code
// called it.
struct ExternalFunction {
  std::string name;
  std::uint64_t calls = 0;
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
};

struct Loop {
  Id id = k_none;
  Id parent = k_none;  // enclosing loop in the same function
  std::string file;    // empty: the module's file
  std::uint32_t line = 0;
  std::uint64_t invocations = 0;
  std::uint64_t iterations = 0;  // executions of the loop header
  double invocations_error = 0, iterations_error = 0;  // as Site::error
};

struct Site {
  Id id = k_none;
  std::uint32_t ordinal = 0;  // in its function: the identity across compiles
  Access kind = Access::load;
  std::string file;           // empty: the module's file
  std::uint32_t line = 0, column = 0;
  std::uint32_t width = 0;    // bytes; 0 = known only when it runs
  Id loop = k_none;           // innermost
  std::string type, field, expression, inlined_at;
  std::uint64_t executions = 0;
  double error = 0;           // sampled: 95 % lie within this share of executions
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
};

// A linear memory access descriptor of D dimensions: start + i * stride for
// 0 <= i < count.  (Wu et al., CGO 2004, section 4.1.)
template <int D>
struct Lmad {
  std::array<std::int64_t, D> start{}, stride{};
  std::uint64_t count = 0;
};

// What came after the last LMAD of a closed stream.
template <int D>
struct Overflow {
  std::array<std::int64_t, D> min{}, max{};
  std::array<std::uint64_t, D> granularity{};  // gcd of |v - first|
  std::uint64_t count = 0;                     // 0: the stream never closed
  std::uint64_t t_closed = 0;                  // time of the first dropped one
};

template <int D>
struct LmadStream {
  std::vector<Lmad<D>> lmads;
  std::uint64_t captured = 0;  // accesses described by the LMADs
  Overflow<D> overflow;
};

struct ObjectRelative {
  Id site = k_none, group = k_none;
  std::uint64_t accesses = 0;
  LmadStream<3> v3;  // (object, offset, time)
  LmadStream<2> v2;  // (object, offset)
  LmadStream<1> v1;  // (offset)
  LmadStream<1> o1;  // (object)
};

struct StrideCount {
  std::int64_t stride = 0;
  std::uint64_t count = 0;
};

// Classes of Youfeng Wu, PLDI 2002, and `constant' for a strong stride of 0.
enum class StrideClass : std::uint8_t { none, constant, ssst, pmst, wsst };

struct Stride {
  Id site = k_none;
  std::uint64_t executions = 0;
  std::int64_t dominant = 0;       // most frequent; ties: the smaller
  double share = 0;                // its count / executions
  StrideClass klass = StrideClass::none;
  std::vector<StrideCount> histogram;  // by count falling, then stride rising
  std::uint64_t other = 0;         // strides that have no entry
  std::uint64_t repeats = 0;       // executions whose stride equals the last
  // Strides between consecutive executions that stayed in one object, by
  // offset; share = count of the dominant one / executions.
  struct WithinObject {
    std::int64_t dominant = 0;
    double share = 0;
    StrideClass klass = StrideClass::none;
    std::vector<StrideCount> histogram;  // as above
    std::uint64_t other = 0;
    // In rows as they are written: histogram and other are the row's own.
    bool all = false;
  } within_object;
};

enum class DependenceKind : std::uint8_t { raw, war, waw };

struct Distance {
  std::uint64_t min = 0, max = 0;
  std::array<std::uint64_t, 6> histogram{};  // 0, 1, 2, 3, 4, 5 and more
};

// One row per (source, sink, kind, carrying loop, context).
struct Dependence {
  Id source = k_none, sink = k_none;  // source may be k_external
  DependenceKind kind = DependenceKind::raw;
  std::uint64_t count = 0;  // executions of the sink with this row, once each
  double frequency = 0;     // count / executions of the sink
  std::uint64_t iters = 0;  // iterations of the loop that contain it
  Id loop = k_none;         // innermost loop that has both in one invocation; none: there is none
  // Each execution is one of these, so they add up to `count'.
  std::uint64_t intra = 0;    // all that it met is of its own iteration of the loop
  std::uint64_t carried = 0;  // some of it is of an earlier iteration
  std::uint64_t no_loop = 0;  // no loop has both: all of a row without a loop, 0 in others
  // Of no_loop: another thread was the source while a loop around the sink was active.
  std::uint64_t concurrent = 0;
  // Of count: code that is not instrumented had a pointer to the object after `source' had
  // written it, so that it may be the writer.
  std::uint64_t uncertain = 0;
  Distance distance;
  std::string context;
};

// Sample mode: executions of a load that met no writer in their burst, shared out over
// the stores that were seen to write such places. These pairs were not seen to meet: neither
// loop nor distance is known.
struct InferredDependence {
  Id source = k_none, sink = k_none;
  std::uint64_t count = 0;  // executions of the sink
  double frequency = 0;     // count / executions of the sink
};

// Memory dependence frequency, estimated from LMADs (LEAP: Wu et al., CGO 2004): the share
// of the loads that read what any earlier store of `source' wrote.
struct Mdf {
  Id source = k_none, sink = k_none;
  double lo = 0, est = 0, hi = 0;
  // The same in executions: in a sum whose sink has more than ratios can keep
  // (merge.cc), else zero.
  std::array<std::uint64_t, 3> counts{};
};

// Loads and stores of one loop that were compared for `mdf' and never met: in no captured
// execution did a load of `sinks' read what a store of `sources' had written.
struct NeverMet {
  Id loop = k_none;  // the innermost one around both
  double hi = 0;     // in at most this share of its executions a load may have: never_met.h
  std::vector<Id> sinks, sources;  // sorted
};

struct PointsTo {
  Id site = k_none;
  struct Target {
    Id group = k_none;
    std::uint64_t count = 0;
  };
  std::vector<Target> groups;
};

// A field of a record, bit-fields included, in the order of their places.
struct Field {
  std::string name;         // empty: it has none (a base class)
  std::string declaration;  // in C, without other types: "struct node *next"
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // 0: a bit-field, or the array at the end
  std::uint32_t align = 1;
  std::uint32_t bit_offset = 0, bits = 0;  // of a bit-field, from `offset' on

  auto operator<=>(const Field&) const = default;
};

// Code that depends on where the fields of a type lie: consumers/decide/legality.h.
struct Obstacle {
  std::string kind, detail, where;

  auto operator<=>(const Obstacle&) const = default;
};

// The layout of a record type that sites access.
struct RecordType {
  std::string name;  // as in Site::type
  std::string file;  // of its definition, without folders
  std::uint32_t line = 0;
  std::uint32_t key = 0;  // of its definition; 0: unknown
  std::uint64_t bytes = 0;
  std::uint32_t align = 1;
  bool packed = false;
  // Every unit with the type has said what it knows of against moving fields.
  bool checked = false;
  std::vector<Field> fields;
  std::vector<Obstacle> obstacles;  // sorted
};

// How a field is used, all its sites together.
struct FieldUse {
  std::string type, field;  // RecordType::name, Field::name
  std::uint64_t loads = 0, stores = 0;
  // Iterations of innermost loops, or calls outside of loops, that access it.
  std::uint64_t visits = 0;
  std::uint64_t misses = 0;  // of L2, modelled
  // Visits in which OTHER, a field after this one in the alphabet, was accessed too.
  struct Together {
    std::string field;
    std::uint64_t count = 0;
  };
  std::vector<Together> together;
};

// Objects of a group that were born and died in one iteration of a loop, and in one
// call of a function.
struct Lifetime {
  Id group = k_none;
  Id loop = k_none;  // the innermost such loop; none: they were local to none
  std::uint64_t objects = 0;  // that have died
  std::uint64_t alive = 0;    // that have not
  std::uint64_t min = 0, max = 0, total = 0;  // accesses from birth to death
  bool always = false;        // every object of the group was local to `loop'
  std::string function;       // the innermost such function; empty: none
  std::string context;        // of the births, "g < f < main", by the variant context
};

// Executions of a store whose bytes were all overwritten, or freed, unread.
struct DeadStore {
  Id site = k_none;
  std::uint64_t dead = 0;
};

// What a site loads or stores: bits, zero-extended.
struct Value {
  struct Entry {
    std::uint64_t value = 0;
    std::uint64_t count = 0;
  };
  Id site = k_none;
  std::uint64_t executions = 0;  // whose value is known
  std::vector<Entry> values;     // all of them, by value, if they are at most 4
  std::uint64_t min = 0, max = 0;
  std::uint64_t repeats = 0;     // executions with the value of the one before
  bool affine = false;           // in each run: first, first + step, ...
  std::uint64_t first = 0;
  std::int64_t step = 0;
};
inline constexpr std::size_t k_most_values = 4;

// Executions of a store that wrote what was there already.
struct SilentStore {
  Id site = k_none;
  std::uint64_t silent = 0;
};

// Accesses to lines that another thread has written since the last access of the
// thread at hand.
struct Sharing {
  Id site = k_none;
  Id source = k_none;             // the store that wrote the line last
  std::uint64_t same_bytes = 0;   // true sharing
  std::uint64_t other_bytes = 0;  // false sharing
};

// Streams: arithmetic progressions of addresses, as long and of such a step as the least
// ones of the class (regularity.h).
struct StreamClass {
  std::uint64_t length = 0;  // elements
  std::uint64_t step = 0;    // bytes, up or down
  std::uint64_t streams = 0;
  std::uint64_t elements = 0;  // of all of them
};

// How regular the addresses of a site are (Mohan et al., SC 2003).
struct Regularity {
  Id site = k_none;
  std::uint64_t references = 0;
  std::uint64_t regular = 0;  // of these, those in streams
  // Windows: references that were looked at, from which all other numbers but `references' are
  // scaled; 0: all of them.
  std::uint64_t looked = 0;
  std::uint64_t before = 0;  // `regular' as it was after at most half as many windows
  // The rest is about streams whose third element the site referred to. By length and step.
  std::vector<StreamClass> streams;
  std::uint64_t squares = 0;  // sum of the squares of their lengths
  std::uint64_t steps = 0;    // sum of the bytes of their steps
  std::uint64_t pages = 0;    // sum of the pages that they span
  std::uint64_t wide = 0;     // streams that span 10 pages and more
  struct Period {
    std::uint64_t period = 0;    // references from each element to the next
    std::uint64_t elements = 0;  // of streams nine tenths of whose elements are so far apart
  };
  std::vector<Period> periods;
};

// The grammars of a run: feedback/streams/recorder.h. There is one row at most.
struct WholeStream {
  std::string file;   // beside the profile
  std::uint64_t hash = 0;  // of the file
  std::string error;  // why the file could not be written
  std::uint64_t file_bytes = 0;
  std::uint64_t accesses = 0, objects = 0, threads = 0, segments = 0;
  bool stopped = false;  // there were more accesses than were asked for
  bool stack = false;    // with accesses to stacks
  bool object_differences = false;
  std::uint64_t symbols = 0, rules = 0, omsg_bytes = 0;  // of site, group, object and offset
  std::uint64_t lifetime_bytes = 0;  // of the table of objects
  std::uint64_t rasg_a_bytes = 0, rasg_ia_bytes = 0;  // addresses; with sites
  struct Sizes {
    std::string of;  // "site"
    std::uint64_t symbols = 0, rules = 0, ascii = 0, bytes = 0;
  };
  std::vector<Sizes> grammars;
};

// What a number in the file of streams stands for.
struct StreamName {
  std::uint32_t number = 0;
  Id site = k_none, group = k_none;  // one of them
};

// Where figures about pages come from: a model of the TLB and the last-level cache; the same with
// the sizes of pages that the kernel's page tables show. Counters of the processor (pmu) are read and
// never written.
enum class PageSource : std::uint8_t { model, pagemap, pmu };

// What the accesses of a thread to an object cost in requests to memory and in walks of the
// page tables (Chen et al., ISPASS 2012).  Run::pages describes the model.
struct Pages {
  Id group = k_none;         // none: addresses of no known object
  std::uint64_t object = 0;  // number in the group, from 1; 0: all without a row of their own
  std::uint32_t thread = 0;
  PageSource source = PageSource::model;
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t walks = 0;      // the page was in no TLB
  std::uint64_t walk_refs = 0;  // entries of page tables that these read
  std::uint64_t variance = 0;   // of walks, which is an estimate: 95 % lie within two roots
  // What depends on the shared cache: threads take turns access by access.
  struct Memory {
    std::uint64_t requests = 0;     // lines read from memory
    std::uint64_t write_backs = 0;  // lines written to memory when they were replaced
    std::uint64_t left = 0;         // changed lines that were in the cache in the end
    std::uint64_t walk_dram = 0;    // of walk_refs, those read from memory
  };
  Memory memory;
  Memory as_read;  // the same, threads in the order in which the stream was read
};

// Groups of small heap objects that are visited together, and how often a model of the caches
// misses if they share an arena, estimates for the whole run. A row with one group is an arena
// for that group alone.
struct CoAccess {
  struct Member {
    Id group = k_none;
    std::uint64_t visits = 0;  // accesses that follow one to another object or part of it
    bool operator==(const Member& other) const { return group == other.group; }
    auto operator<=>(const Member& other) const { return group <=> other.group; }
  };
  std::vector<Member> groups;  // sorted
  struct Misses {
    std::uint64_t l1 = 0, l2 = 0, llc = 0;
  };
  Misses before;   // of these visits, objects where they were
  Misses after;    // ... in one arena, in the order of their births
  Misses ordered;  // one group: in the order in which they are visited
};

// What a loop does with the memory of a group that it writes.
struct Privatisation {
  Id loop = k_none, group = k_none;
  std::uint64_t loads = 0, stores = 0;  // executions while the loop was active
  std::uint64_t exposed = 0;    // loads of what the iteration had not written
  std::uint64_t rewritten = 0;  // stores to what an earlier iteration had written
  std::uint64_t live_out = 0;   // loads, after the loop, of what it had written
};

enum class PointerTarget : std::uint8_t { object, null, unknown, many };

// What a pointer points to where it is loaded or stored (`at'), or passed or returned
// (`function'), by calling context.
struct PointerUse {
  Id at = k_none;              // a site; none: `function' says
  std::string function;
  std::uint32_t argument = 0;  // of the function, from 1; 0: what it returns
  std::string context;         // "g < f < main"
  PointerTarget target = PointerTarget::object;
  Id group = k_none;           // of the object
  std::string allocated;       // context of its birth
  std::uint64_t count = 0;
  std::uint64_t ends = 0;      // of them, one past the end of the object
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
