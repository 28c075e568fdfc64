// schema.h - the fields of the JSON document, each named once.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.  The problem: reader, writer and validator must agree
// about every field's name, type and whether it may be absent.  So each row has
// one function here, describe (visitor, row), which names its fields in the
// order in which they are written; the reader, the writer and the validator are
// visitors.  Adding a field to the format is one line here, one in model.h, one
// in memprof-feedback.schema.json and one in doc/feedback-format.md; the test
// Schema.AgreesWithTheInstalledFile compares the first with the third.
//
// A visitor has these members; `need' says whether the field is always written
// and must be present, or is left out when it has its default (zero, empty,
// false, none):
//
//   integer (name, value, need)      any integral type
//   id (name, id, need)              k_none = absent
//   source (name, id)                an id, or "external"
//   text (name, string, need)
//   text_or (name, string, other)    left out when equal to OTHER
//   flag (name, bool, need)
//   ratio (name, double, need)
//   choice (name, enum, names, need)
//   rows (name, vector, need)        array of objects, one line each
//   object (name, struct)            left out when empty_p (struct)
//   numbers (name, array, need)      array of exactly that many integers;
//                                    required unless said otherwise
//   pairs (name, vector, first, second, need)    [[first,second],...]
//   ids (name, vector, need)         array of ids
//   lmads (name, vector)             one flat array of numbers, starts as differences
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "feedback/model.h"

namespace memprof::feedback {

inline constexpr unsigned k_format_major = 1;
inline constexpr unsigned k_format_minor = 2;

// Splits "1.0"; false when TEXT is not of that form.
bool parse_format(std::string_view text, unsigned* major, unsigned* minor);
std::string format_text();

enum class Need : std::uint8_t { required, optional };

// Keys of the document, in the order in which they are written.
enum class Section : std::uint8_t {
  memprof, index, program, run, modules, groups,
  // Tables of profiling modules, in canonical order; named in
  // Profile::sections when present.
#define TABLE(name, Row) name,
#include "feedback/tables.def"
#undef TABLE
  unknown
};
inline constexpr unsigned k_sections = unsigned(Section::unknown);
inline constexpr unsigned k_first_table = unsigned(Section::object_relative);

extern const std::array<const char*, k_sections> k_section_names;
Section section_of(std::string_view name);

using Names = const char* const*;  // ends with a null pointer
extern const char* const k_access_names[];
extern const char* const k_group_kind_names[];
extern const char* const k_stride_class_names[];
extern const char* const k_dependence_kind_names[];
extern const char* const k_pointer_target_names[];
extern const char* const k_page_source_names[];
inline constexpr const char* k_external_name = "external";

// The value of key `memprof'.
struct Header {
  std::string format, tool;
};

// The value of key `index': where the rows of each module are.  See writer.cc.
inline constexpr unsigned k_tables = k_sections - k_first_table;

struct IndexRow {
  std::string file;
  // start, start of the COMDAT part, end; all zero when there are no rows.
  std::array<std::uint64_t, 3> module{};
  std::array<std::array<std::uint64_t, 3>, k_tables> tables{};
};

struct Index {
  std::uint64_t body = 0;  // the offsets count from this many bytes before the end
  std::array<std::uint64_t, 2> groups{};
  // Tables that the document has, start and end; all zero for one it lacks.
  std::array<std::array<std::uint64_t, 2>, k_tables> tables{};
  std::vector<IndexRow> modules;
};

// Starts of descriptors are written as differences to the descriptor before,
// modulo 2^64, so that any start can be written.
inline std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) -
                                   static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                   static_cast<std::uint64_t>(b));
}

// Whether the last value of LMAD, start + (count - 1) * stride, is a number of 64 bits.
template <int D>
bool ends_p(const Lmad<D>& lmad) {
  for (int i = 0; i < D && lmad.count > 1; i++) {
    std::int64_t last;
    if (lmad.stride[i] != 0 && (__builtin_mul_overflow(lmad.stride[i], lmad.count - 1, &last) ||
                                __builtin_add_overflow(last, lmad.start[i], &last)))
      return false;
  }
  return true;
}

template <int D>
bool empty_p(const Overflow<D>& o) { return o.count == 0; }
template <int D>
bool empty_p(const LmadStream<D>& s) {
  return s.lmads.empty() && s.captured == 0 && s.overflow.count == 0;
}
inline bool empty_p(const Distance& d) {
  return d.min == 0 && d.max == 0 && d.histogram == decltype(d.histogram){};
}
inline bool empty_p(const Stride::WithinObject& w) {
  return w.histogram.empty() && w.klass == StrideClass::none && !w.all;
}

inline bool empty_p(const Pages::Memory& m) {
  return m.requests == 0 && m.write_backs == 0 && m.left == 0 && m.walk_dram == 0;
}

inline bool empty_p(const CoAccess::Misses& m) { return m.l1 == 0 && m.l2 == 0 && m.llc == 0; }

template <class V, int D> void describe(V& v, Overflow<D>& r) {
  v.numbers("min", r.min);
  v.numbers("max", r.max);
  v.numbers("granularity", r.granularity);
  v.integer("count", r.count, Need::required);
  v.integer("t_closed", r.t_closed, Need::optional);
}

template <class V, int D> void describe(V& v, LmadStream<D>& r) {
  v.lmads("lmads", r.lmads);
  v.integer("captured", r.captured, Need::required);
  v.object("overflow", r.overflow);
}

template <class V> void describe(V& v, ObjectRelative& r) {
  v.id("site", r.site, Need::required);
  v.id("group", r.group, Need::required);
  v.integer("accesses", r.accesses, Need::required);
  v.object("v3", r.v3);
  v.object("v2", r.v2);
  v.object("v1", r.v1);
  v.object("o1", r.o1);
}

template <class V> void describe(V& v, Mdf& r) {
  v.source("source", r.source);
  v.id("sink", r.sink, Need::required);
  v.ratio("lo", r.lo, Need::required);
  v.ratio("est", r.est, Need::required);
  v.ratio("hi", r.hi, Need::required);
  v.numbers("counts", r.counts, Need::optional);
}

template <class V> void describe(V& v, NeverMet& r) {
  v.id("loop", r.loop, Need::required);
  v.ratio("hi", r.hi, Need::required);
  v.ids("sinks", r.sinks, Need::required);
  v.ids("sources", r.sources, Need::required);
}

template <class V> void describe(V& v, Stride::WithinObject& r) {
  v.integer("dominant", r.dominant, Need::optional);
  v.ratio("share", r.share, Need::optional);
  v.choice("class", r.klass, k_stride_class_names, Need::required);
  v.pairs("histogram", r.histogram, &StrideCount::stride, &StrideCount::count,
          Need::optional);
  v.flag("all", r.all, Need::optional);
  v.integer("other", r.other, Need::optional);
}

template <class V> void describe(V& v, Stride& r) {
  v.id("site", r.site, Need::required);
  v.integer("executions", r.executions, Need::required);
  v.integer("dominant", r.dominant, Need::optional);
  v.ratio("share", r.share, Need::optional);
  v.choice("class", r.klass, k_stride_class_names, Need::required);
  v.pairs("histogram", r.histogram, &StrideCount::stride, &StrideCount::count,
          Need::required);
  v.integer("other", r.other, Need::optional);
  v.integer("repeats", r.repeats, Need::optional);
  v.object("within_object", r.within_object);
}

template <class V> void describe(V& v, Distance& r) {
  v.integer("min", r.min, Need::optional);
  v.integer("max", r.max, Need::optional);
  v.numbers("histogram", r.histogram);
}

template <class V> void describe(V& v, Dependence& r) {
  v.source("source", r.source);
  v.id("sink", r.sink, Need::required);
  v.choice("kind", r.kind, k_dependence_kind_names, Need::required);
  v.integer("count", r.count, Need::required);
  v.ratio("frequency", r.frequency, Need::required);
  v.integer("iters", r.iters, Need::optional);
  v.id("loop", r.loop, Need::optional);
  v.integer("intra", r.intra, Need::optional);
  v.integer("carried", r.carried, Need::optional);
  v.integer("no_loop", r.no_loop, Need::optional);
  v.integer("concurrent", r.concurrent, Need::optional);
  v.integer("uncertain", r.uncertain, Need::optional);
  v.object("distance", r.distance);
  v.text("context", r.context, Need::optional);
}

template <class V> void describe(V& v, InferredDependence& r) {
  v.source("source", r.source);
  v.id("sink", r.sink, Need::required);
  v.integer("count", r.count, Need::required);
  v.ratio("frequency", r.frequency, Need::required);
}

template <class V> void describe(V& v, PointsTo& r) {
  v.id("site", r.site, Need::required);
  v.pairs("groups", r.groups, &PointsTo::Target::group, &PointsTo::Target::count,
          Need::required);
}

template <class V> void describe(V& v, Cache& r) {
  v.id("site", r.site, Need::required);
  v.id("group", r.group, Need::optional);
  v.integer("l1", r.l1, Need::optional);
  v.integer("l2", r.l2, Need::optional);
  v.integer("llc", r.llc, Need::optional);
  v.integer("tlb", r.tlb, Need::optional);
  v.integer("l1_error", r.errors.l1, Need::optional);
  v.integer("l2_error", r.errors.l2, Need::optional);
  v.integer("llc_error", r.errors.llc, Need::optional);
  v.integer("tlb_error", r.errors.tlb, Need::optional);
  v.flag("guessed", r.guessed, Need::optional);
}

template <class V> void describe(V& v, Reuse& r) {
  v.id("site", r.site, Need::required);
  v.id("group", r.group, Need::optional);
  v.pairs("lines", r.lines, &Reuse::Point::size, &Reuse::Point::misses, Need::optional);
  v.pairs("pages", r.pages, &Reuse::Point::size, &Reuse::Point::misses, Need::optional);
}

template <class V> void describe(V& v, Lifetime& r) {
  v.id("group", r.group, Need::required);
  v.id("loop", r.loop, Need::optional);
  v.integer("objects", r.objects, Need::optional);
  v.integer("alive", r.alive, Need::optional);
  v.integer("min", r.min, Need::optional);
  v.integer("max", r.max, Need::optional);
  v.integer("total", r.total, Need::optional);
  v.flag("always", r.always, Need::optional);
  v.text("function", r.function, Need::optional);
  v.text("context", r.context, Need::optional);
}

template <class V> void describe(V& v, DeadStore& r) {
  v.id("site", r.site, Need::required);
  v.integer("dead", r.dead, Need::required);
}

template <class V> void describe(V& v, Value& r) {
  v.id("site", r.site, Need::required);
  v.integer("executions", r.executions, Need::required);
  v.pairs("values", r.values, &Value::Entry::value, &Value::Entry::count, Need::optional);
  v.integer("min", r.min, Need::optional);
  v.integer("max", r.max, Need::optional);
  v.integer("repeats", r.repeats, Need::optional);
  v.flag("affine", r.affine, Need::optional);
  v.integer("first", r.first, Need::optional);
  v.integer("step", r.step, Need::optional);
}

template <class V> void describe(V& v, SilentStore& r) {
  v.id("site", r.site, Need::required);
  v.integer("silent", r.silent, Need::required);
}

template <class V> void describe(V& v, StreamClass& r) {
  v.integer("length", r.length, Need::required);
  v.integer("step", r.step, Need::required);
  v.integer("streams", r.streams, Need::required);
  v.integer("elements", r.elements, Need::required);
}

template <class V> void describe(V& v, Regularity& r) {
  v.id("site", r.site, Need::required);
  v.integer("references", r.references, Need::required);
  v.integer("regular", r.regular, Need::optional);
  v.integer("looked", r.looked, Need::optional);
  v.integer("before", r.before, Need::optional);
  v.rows("streams", r.streams, Need::optional);
  v.integer("squares", r.squares, Need::optional);
  v.integer("steps", r.steps, Need::optional);
  v.integer("pages", r.pages, Need::optional);
  v.integer("wide", r.wide, Need::optional);
  v.pairs("periods", r.periods, &Regularity::Period::period, &Regularity::Period::elements,
          Need::optional);
}

template <class V> void describe(V& v, WholeStream::Sizes& r) {
  v.text("of", r.of, Need::required);
  v.integer("symbols", r.symbols, Need::required);
  v.integer("rules", r.rules, Need::required);
  v.integer("ascii", r.ascii, Need::required);
  v.integer("bytes", r.bytes, Need::required);
}

template <class V> void describe(V& v, WholeStream& r) {
  v.text("file", r.file, Need::optional);
  v.integer("hash", r.hash, Need::required);
  v.text("error", r.error, Need::optional);
  v.integer("file_bytes", r.file_bytes, Need::required);
  v.integer("accesses", r.accesses, Need::required);
  v.integer("objects", r.objects, Need::required);
  v.integer("threads", r.threads, Need::required);
  v.integer("segments", r.segments, Need::required);
  v.flag("stopped", r.stopped, Need::optional);
  v.flag("stack", r.stack, Need::optional);
  v.flag("object_differences", r.object_differences, Need::optional);
  v.integer("symbols", r.symbols, Need::required);
  v.integer("rules", r.rules, Need::required);
  v.integer("omsg_bytes", r.omsg_bytes, Need::required);
  v.integer("lifetime_bytes", r.lifetime_bytes, Need::required);
  v.integer("rasg_a_bytes", r.rasg_a_bytes, Need::optional);
  v.integer("rasg_ia_bytes", r.rasg_ia_bytes, Need::optional);
  v.rows("grammars", r.grammars, Need::required);
}

template <class V> void describe(V& v, StreamName& r) {
  v.integer("number", r.number, Need::required);
  v.id("site", r.site, Need::optional);
  v.id("group", r.group, Need::optional);
}

template <class V> void describe(V& v, Sharing& r) {
  v.id("site", r.site, Need::required);
  v.source("source", r.source);
  v.integer("same_bytes", r.same_bytes, Need::optional);
  v.integer("other_bytes", r.other_bytes, Need::optional);
}

template <class V> void describe(V& v, Privatisation& r) {
  v.id("loop", r.loop, Need::required);
  v.id("group", r.group, Need::required);
  v.integer("loads", r.loads, Need::optional);
  v.integer("stores", r.stores, Need::required);
  v.integer("exposed", r.exposed, Need::optional);
  v.integer("rewritten", r.rewritten, Need::optional);
  v.integer("live_out", r.live_out, Need::optional);
}

template <class V> void describe(V& v, PointerUse& r) {
  v.id("site", r.at, Need::optional);
  v.text("function", r.function, Need::optional);
  v.integer("argument", r.argument, Need::optional);
  v.text("context", r.context, Need::optional);
  v.choice("target", r.target, k_pointer_target_names, Need::required);
  v.id("group", r.group, Need::optional);
  v.text("allocated", r.allocated, Need::optional);
  v.integer("count", r.count, Need::required);
  v.integer("ends", r.ends, Need::optional);
}

template <class V> void describe(V& v, Pages::Memory& r) {
  v.integer("requests", r.requests, Need::required);
  v.integer("write_backs", r.write_backs, Need::optional);
  v.integer("left", r.left, Need::optional);
  v.integer("walk_dram", r.walk_dram, Need::optional);
}

template <class V> void describe(V& v, Pages& r) {
  v.id("group", r.group, Need::optional);
  v.integer("object", r.object, Need::optional);
  v.integer("thread", r.thread, Need::optional);
  v.choice("source", r.source, k_page_source_names, Need::required);
  v.integer("reads", r.reads, Need::optional);
  v.integer("writes", r.writes, Need::optional);
  v.integer("walks", r.walks, Need::optional);
  v.integer("walk_refs", r.walk_refs, Need::optional);
  v.integer("variance", r.variance, Need::optional);
  v.object("memory", r.memory);
  v.object("as_read", r.as_read);
}

template <class V> void describe(V& v, CoAccess::Misses& r) {
  v.integer("l1", r.l1, Need::optional);
  v.integer("l2", r.l2, Need::optional);
  v.integer("llc", r.llc, Need::optional);
}

template <class V> void describe(V& v, CoAccess& r) {
  v.pairs("groups", r.groups, &CoAccess::Member::group, &CoAccess::Member::visits,
          Need::required);
  v.object("before", r.before);
  v.object("after", r.after);
  v.object("ordered", r.ordered);
}

template <class V> void describe(V& v, Field& r) {
  v.text("name", r.name, Need::optional);
  v.text("declaration", r.declaration, Need::required);
  v.integer("offset", r.offset, Need::optional);
  v.integer("bytes", r.bytes, Need::optional);
  v.integer("align", r.align, Need::required);
  v.integer("bit_offset", r.bit_offset, Need::optional);
  v.integer("bits", r.bits, Need::optional);
}

template <class V> void describe(V& v, Obstacle& r) {
  v.text("kind", r.kind, Need::required);
  v.text("detail", r.detail, Need::optional);
  v.text("where", r.where, Need::optional);
}

template <class V> void describe(V& v, RecordType& r) {
  v.text("name", r.name, Need::required);
  v.text("file", r.file, Need::optional);
  v.integer("line", r.line, Need::optional);
  v.integer("key", r.key, Need::optional);
  v.integer("bytes", r.bytes, Need::required);
  v.integer("align", r.align, Need::required);
  v.flag("packed", r.packed, Need::optional);
  v.flag("checked", r.checked, Need::optional);
  v.rows("fields", r.fields, Need::required);
  v.rows("obstacles", r.obstacles, Need::optional);
}

template <class V> void describe(V& v, FieldUse::Together& r) {
  v.text("field", r.field, Need::required);
  v.integer("count", r.count, Need::required);
}

template <class V> void describe(V& v, FieldUse& r) {
  v.text("type", r.type, Need::required);
  v.text("field", r.field, Need::required);
  v.integer("loads", r.loads, Need::optional);
  v.integer("stores", r.stores, Need::optional);
  v.integer("visits", r.visits, Need::optional);
  v.integer("misses", r.misses, Need::optional);
  v.rows("together", r.together, Need::optional);
}

}  // namespace memprof::feedback

#include "feedback/schema_program.h"
