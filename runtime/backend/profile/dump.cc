// dump.cc - a stream file as text, for people and for tests.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two passes: the first loads every unit, so that records that precede the
// registration of their unit can be named too; the second prints. Lines look
// like
//
//     T0 BLOCK sum loop 1 iteration
//     T0   load 4 a.c:12:9 p->next 0x4052c8 8
//     T0   EXIT 1
//     T0 RANGE fill loop 0 count 100
//     T0   store 2 a.c:7:10 a[i] 0x405010 8 step 8 count 100
//     T0 RUN find loop 2 iteration       and so for each execution
//     T0 NEST fill loop 1 count 50       then the record of its first iteration
//     T0   word 2 moves by 800
//     T0 BIRTH 0x4052a0 32 malloc at a.c:3 sum ticket 0
//
// with site and loop numbers as rows of their unit's tables.
#include "runtime/backend/profile/dump.h"

#include <cinttypes>
#include <span>

#include "runtime/backend/decode/birth_groups.h"
#include "runtime/backend/profile/unit_records.h"
#include "runtime/backend/program/loaded_units.h"
#include "runtime/backend/stream/nest_records.h"
#include "runtime/backend/stream/records.h"
#include "runtime/backend/stream/run_records.h"

namespace memprof::backend {

namespace {

class Dumper {
 public:
  Dumper(StreamFile& file, std::FILE* out) : file_(file), out_(out) {}

  bool run() {
    pass(false);
    file_.rewind();
    units_ = {};
    pass(true);
    if (file_.damaged()) complain("the file ends inside a frame");
    return good_;
  }

 private:
  void pass(bool print);
  void units(std::uint32_t ring, const std::uint64_t* p, bool print);
  void control(const std::uint64_t* p);
  void site_record(const std::uint64_t* p);
  void execution(const CompiledDesc& desc, const std::uint64_t* p);
  void nest(const CompiledDesc& desc, const std::uint64_t* p);
  void access(const Unit& unit, SiteId site, EventKind kind,
              std::uint64_t address, std::uint64_t width);
  void born(std::uint64_t site, std::uint64_t caller, std::uint64_t allocator);
  void complain(const char* what) {
    std::fprintf(out_, "? %s\n", what);
    good_ = false;
  }
  static std::uint32_t function_of_entries(const Unit& unit,
                                           const CompiledDesc& desc);
  // The unit that DESC belongs to, by its loop or its first site.
  const Unit* unit_of(const CompiledDesc& desc) const;

  StreamFile& file_;
  std::FILE* out_;
  LoadedUnits table_;
  UnitRecords units_;
  std::uint32_t thread_ = 0;
  bool good_ = true;
};

void Dumper::pass(bool print) {
  while (auto frame = file_.next()) {
    const std::uint64_t* p = frame->words.data();
    const std::uint64_t* const end = p + frame->words.size();
    thread_ = frame->thread;
    if (print && frame->signal_of)
      std::fprintf(out_, "T%u (signal ring of %u)\n", thread_,
                   frame->signal_of - 1);
    while (p < end) {
      const std::size_t words = whole_record(p, end);
      if (!words) {
        if (print) complain("no record here; the rest of the frame is skipped");
        break;
      }
      if (control_p(*p)) {
        units(frame->ring, p, print);
        if (print) control(p);
      } else if (print) {
        site_record(p);
      }
      p += words;
    }
  }
}

void Dumper::units(std::uint32_t ring, const std::uint64_t* p, bool print) {
  if (MPRT_CONTROL_KIND(p[0]) == MPRT_UNIT_UNLOAD) table_.unload(p[1]);
  auto image = units_.take(ring, p);
  if (!image) return;
  if (!*image) {
    if (print) complain((*image).error().what.c_str());
    return;
  }
  if (print) {
    const mprt_blob& b = (*image)->header();
    std::fprintf(out_,
                 "   %s in %s: %u functions, %u loops, %u sites, "
                 "%u allocation sites, %u globals, %u locals\n",
                 (*image)->text(b.file), (*image)->path.c_str(), b.functions, b.loops, b.sites,
                 b.alloc_sites, b.globals, b.locals);
  }
  table_.load(std::move(**image));
}

void Dumper::born(std::uint64_t site, std::uint64_t caller,
                  std::uint64_t allocator) {
  const char* const name = allocator_name(allocator);
  std::fprintf(out_, " %s", name ? name : "?");
  const AllocSite where = table_.alloc_site(site);
  if (!where.unit) {
    std::fprintf(out_, " from 0x%" PRIx64, caller);
    return;
  }
  const UnitImage& image = where.unit->image;
  const mprt_alloc_site& row = image.alloc_rows()[where.row];
  const mprt_function& fn = image.functions()[row.function];
  std::fprintf(out_, " at %s:%u %s", image.text(row.file ? row.file : fn.file),
               row.line, image.text(fn.name));
}

void Dumper::control(const std::uint64_t* p) {
  const unsigned kind = MPRT_CONTROL_KIND(p[0]);
  std::fprintf(out_, "T%u %s", thread_, k_control_shapes[kind].name);
  switch (kind) {
    case MPRT_BIRTH:
      std::fprintf(out_, " 0x%" PRIx64 " %" PRIu64, p[1], p[2]);
      born(p[3], p[4], p[5]);
      break;
    case MPRT_REALLOC_RESULT:
      std::fprintf(out_, " 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64, p[1], p[2],
                   p[3]);
      born(p[4], p[5], p[6]);
      break;
    case MPRT_THREAD_START:
      std::fprintf(out_, " %" PRIu64 " stack 0x%" PRIx64 " 0x%" PRIx64, p[1],
                   p[3], p[4]);
      break;
    case MPRT_DATA:
    case MPRT_SIGNAL_ENTER:
    case MPRT_MARKER:
    case MPRT_PROGRAM_END:
      std::fprintf(out_, " 0x%" PRIx64 " %" PRIu64, p[1], p[2]);
      break;
    case MPRT_UNIT_LOAD:
    case MPRT_UNIT_READY:
    case MPRT_UNIT_UNLOAD:
    case MPRT_DEATH:
    case MPRT_REALLOC_REQUEST:
      std::fprintf(out_, " 0x%" PRIx64, p[1]);
      break;
    case MPRT_WRITTEN:
      std::fprintf(out_, " 0x%" PRIx64 " + %" PRIu64, p[1], p[2]);
      break;
    case MPRT_ENTRIES:
      std::fprintf(out_, " 0x%" PRIx64 " %s", p[1], p[2] == MPRT_ENTRIES_BEFORE ? "before" : "end");
      for (unsigned i = 0; i < MPRT_ENTRIES_PER_RECORD; i++)
        if (const unsigned n = MPRT_ENTRIES_OF(p[4], i); n != 0 && n != MPRT_ENTRIES_UNKNOWN)
          std::fprintf(out_, " %" PRIu64 ":%u", p[3] + i, n);
      break;
    case MPRT_LOST:
    case MPRT_SNAPSHOT:
      std::fprintf(out_, " %" PRIu64, p[1]);
      break;
    default:
      break;
  }
  if (const unsigned at = ticket_word(kind))
    std::fprintf(out_, " ticket %" PRIu64, p[at]);
  std::fputc('\n', out_);
}

const Unit* Dumper::unit_of(const CompiledDesc& desc) const {
  for (const auto& unit : table_.all()) {
    if (desc.loop) {
      if (desc.loop - unit->first_loop < unit->image.loops().size())
        return unit.get();
      continue;
    }
    for (unsigned i = 0; i < desc.entries; i++) {
      const BlockEntry& e = desc.block_entries()[i];
      if (e.loop_event() ? e.site - unit->first_loop < unit->image.loops().size()
          : e.function_event()
              ? e.site - unit->first_function < unit->image.functions().size()
                         : e.site != k_no_site && !e.external_call() &&
                               e.site - unit->first_site <
                                   unit->image.sites().size())
        return unit.get();
    }
  }
  return nullptr;
}

// By the first entry that names something of it.
std::uint32_t Dumper::function_of_entries(const Unit& unit,
                                          const CompiledDesc& desc) {
  for (unsigned i = 0; i < desc.entries; i++) {
    const BlockEntry& e = desc.block_entries()[i];
    if (e.loop_event())
      return unit.image.loops()[e.site - unit.first_loop].function;
    if (e.function_event()) return e.site - unit.first_function;
    if (e.site != k_no_site && !e.external_call())
      return unit.image.sites()[e.site - unit.first_site].function;
  }
  return 0;
}

void Dumper::access(const Unit& unit, SiteId site, EventKind kind,
                    std::uint64_t address, std::uint64_t width) {
  const char* name = kind == EventKind::load             ? "load"
                     : kind == EventKind::store          ? "store"
                     : kind == EventKind::external_store ? "external"
                                                         : "local";
  std::fprintf(out_, "T%u   %s", thread_, name);
  if (site != k_no_site) {
    const std::uint32_t row = site - unit.first_site;
    const mprt_site& s = unit.image.sites()[row];
    const mprt_function& fn = unit.image.functions()[s.function];
    std::fprintf(out_, " %u %s:%u:%u %s", row,
                 unit.image.text(s.file ? s.file : fn.file), s.line, s.column,
                 unit.image.text(s.expression));
  }
  std::fprintf(out_, " 0x%" PRIx64 " %" PRIu64, address, width);
}

void Dumper::site_record(const std::uint64_t* p) {
  const CompiledDesc* desc = table_.find(p[0]);
  const std::size_t words = p[0] & MPRT_LENGTH_MASK;
  if (!desc || !RunRecords::executions(*desc, words)) {
    std::fprintf(out_, "T%u UNKNOWN 0x%" PRIx64 "\n", thread_, p[0]);
    good_ = false;
  } else if (desc->kind == CompiledKind::run) {
    for (RunRecords each(*desc, p, p[0]); each.left(); each.advance())
      execution(*desc, each.words());
  } else {
    execution(*desc, p);
  }
}

void Dumper::execution(const CompiledDesc& desc, const std::uint64_t* p) {
  const Unit* unit = unit_of(desc);
  std::fprintf(out_, "T%u %s", thread_, kind_name(desc.kind));
  if (unit && (desc.loop || desc.entries)) {
    const std::uint32_t row = desc.loop - unit->first_loop;
    const std::uint32_t function =
        desc.loop ? unit->image.loops()[row].function
                  : function_of_entries(*unit, desc);
    std::fprintf(out_, " %s",
                 unit->image.text(unit->image.functions()[function].name));
    if (desc.loop) std::fprintf(out_, " loop %u", row);
  }
  if (desc.iteration) std::fputs(" iteration", out_);
  if (desc.kind == CompiledKind::range || desc.kind == CompiledKind::nest)
    std::fprintf(out_, " count %" PRIu64, p[1]);
  std::fputc('\n', out_);
  if (desc.kind == CompiledKind::nest) nest(desc, p);
  if (!unit) return;
  for (unsigned i = 0; i < desc.entries; i++) {
    if (desc.kind == CompiledKind::range) {
      const RangeEntry& e = desc.range_entries()[i];
      const bool store = table_.store_p(e.site);
      access(*unit, e.site, store ? EventKind::store : EventKind::load,
             e.address(p), e.length_word ? p[e.length_word] : e.width);
      const std::int64_t step =
          e.step_word ? static_cast<std::int64_t>(p[e.step_word]) : e.step;
      const std::uint64_t count = p[1] >= e.minus ? p[1] - e.minus : 0;
      std::fprintf(out_, " step %" PRId64 " count %" PRIu64, step, count);
      if (e.modulus)
        std::fprintf(out_, " index %" PRIu64 " of %" PRIu64, e.index(p), e.modulus);
      std::fputc('\n', out_);
    } else {
      const BlockEntry& e = desc.block_entries()[i];
      if (e.loop_event()) {
        static const char* const events[] = {"ENTER", "ITERATION", "EXIT"};
        std::fprintf(out_, "T%u   %s %u\n", thread_,
                     events[static_cast<int>(e.kind) -
                            static_cast<int>(EventKind::loop_enter)],
                     e.site - unit->first_loop);
        continue;
      }
      if (e.pointer()) {
        std::fprintf(out_, "T%u   POINTER %" PRIu64 " 0x%" PRIx64 "\n", thread_, e.width,
                     p[e.word] + e.offset);
        continue;
      }
      if (e.external_call()) {
        const mprt_callee& callee = unit->image.callees()[e.site - unit->first_callee];
        std::fprintf(out_, "T%u   CALL %s 0x%" PRIx64 "\n", thread_, unit->image.text(callee.name),
                     p[e.word] + e.offset);
        continue;
      }
      if (e.function_event()) {
        std::fprintf(out_, "T%u   %s\n", thread_,
                     e.kind == EventKind::function_enter ? "FUNCTION" : "RETURN");
        continue;
      }
      const bool tally = desc.kind == CompiledKind::tally;
      access(*unit, e.site, e.kind, p[e.word] + e.offset,
             e.length_word && !tally ? p[e.length_word] : e.width);
      if (tally) std::fprintf(out_, " count %" PRIu64, p[e.length_word]);
      for (const ValueEntry& v : std::span(desc.value_entries(), desc.values))
        if (v.entry == i) std::fprintf(out_, " value 0x%" PRIx64, p[v.word] + v.offset);
      std::fputc('\n', out_);
    }
  }
}

void Dumper::nest(const CompiledDesc& desc, const std::uint64_t* p) {
  for (const NestEntry& e : std::span(desc.nest_entries(), desc.common))
    std::fprintf(out_, "T%u   word %u moves by %" PRId64 "\n", thread_, e.word,
                 e.step_word ? static_cast<std::int64_t>(p[e.step_word]) : e.step);
  if (!NestRecords::whole_p(desc, p))
    complain("a nest without a record");
  else if (p[MPRT_NEST_INNER] != 0)
    site_record(p + MPRT_NEST_INNER);
}

}  // namespace

const char* kind_name(CompiledKind kind) {
  switch (kind) {
    case CompiledKind::range: return "RANGE";
    case CompiledKind::loop_resume: return "RESUME";
    case CompiledKind::tally: return "TALLY";
    case CompiledKind::run: return "RUN";
    case CompiledKind::nest: return "NEST";
    default: return "BLOCK";
  }
}

bool dump_stream(StreamFile& file, std::FILE* out) {
  return Dumper(file, out).run();
}

}  // namespace memprof::backend
