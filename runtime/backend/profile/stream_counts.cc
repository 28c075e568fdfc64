// stream_counts.cc - what a stream file consists of: how many records of each descriptor.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One line counts the events, one each descriptor:
//
//     records  entries  words  accesses  kind     where
//     1000000        3      3   3000000  BLOCK i  longest_match 5: 401 407 409
//
// The words of one record, with its header; `i' says that it starts an
// iteration of the loop, whose row follows the function; the lines of its sites come
// after the colon.  The control records of a kind are one line.
#include "runtime/backend/profile/stream_counts.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/backend/profile/dump.h"
#include "runtime/backend/profile/unit_records.h"
#include "runtime/backend/program/loaded_units.h"
#include "runtime/backend/stream/nest_records.h"
#include "runtime/backend/stream/records.h"
#include "runtime/backend/stream/run_records.h"

namespace memprof::backend {

namespace {

class Counter {
 public:
  Counter(StreamFile& file, std::FILE* out) : file_(file), out_(out) {}

  bool run() {
    // Records may precede the registration of their unit.
    pass(false);
    file_.rewind();
    pass(true);
    print();
    return good_ && !file_.damaged();
  }

 private:
  struct Seen {
    std::uint64_t records = 0, words = 0, accesses = 0;
  };
  // Events by kind: accesses one by one, also those of ranges, whose loop events
  // are not sent; but what was counted in a loop is one event.
  struct Events {
    std::uint64_t loads = 0, stores = 0, loops = 0, locals = 0, external = 0, objects = 0, functions = 0,
                  pointers = 0, values = 0;
  };

  void pass(bool count);
  void control(const std::uint64_t* p, std::size_t words);
  void site_record(const std::uint64_t* p);
  void execution(const CompiledDesc& desc, const std::uint64_t* p, Seen& seen);
  void count(const BlockEntry& e);
  void print() const;
  void print_place(const CompiledDesc& desc) const;
  std::vector<SiteId> sites(const CompiledDesc& desc) const;

  StreamFile& file_;
  std::FILE* out_;
  LoadedUnits table_;
  UnitRecords units_;
  std::unordered_map<const CompiledDesc*, Seen> descriptors_;
  std::array<Seen, k_control_shapes.size()> controls_{};
  Events events_;
  std::uint64_t words_ = 0;
  bool good_ = true;
};

void Counter::pass(bool count) {
  while (const auto frame = file_.next()) {
    const std::uint64_t* p = frame->words.data();
    const std::uint64_t* const end = p + frame->words.size();
    while (p < end) {
      const std::size_t words = whole_record(p, end);
      if (!words) {
        good_ = false;
        break;
      }
      if (!count) {
        if (control_p(*p))
          if (auto image = units_.take(frame->ring, p); image && *image)
            table_.load(std::move(**image));
      } else if (control_p(*p)) {
        control(p, words);
      } else {
        site_record(p);
      }
      p += words;
    }
  }
}

void Counter::control(const std::uint64_t* p, std::size_t words) {
  const unsigned kind = MPRT_CONTROL_KIND(p[0]);
  controls_[kind].records++;
  events_.objects += kind == MPRT_BIRTH || kind == MPRT_DEATH || kind == MPRT_REALLOC_RESULT;
  words_ += words;
}

void Counter::site_record(const std::uint64_t* p) {
  const CompiledDesc* desc = table_.find(p[0]);
  const std::size_t words = p[0] & MPRT_LENGTH_MASK;
  const std::size_t times = desc ? RunRecords::executions(*desc, words) : 0;
  if (!times) {
    good_ = false;
    return;
  }
  Seen& seen = descriptors_[desc];
  seen.records++;
  seen.words += words;
  words_ += words;
  for (std::size_t i = 0; i < times; i++) execution(*desc, p, seen);
}

void Counter::execution(const CompiledDesc& desc, const std::uint64_t* p, Seen& seen) {
  events_.loops += desc.iteration;
  events_.values += desc.values;
  constexpr std::uint64_t k_most = std::uint64_t{1} << 32;
  if (desc.kind == CompiledKind::nest && NestRecords::whole_p(desc, p) && p[1] <= k_most)
    for (NestRecords each(desc, p); each.left() != 0; each.advance()) {
      events_.loops += desc.loop != 0;
      if (const CompiledDesc* inner = table_.find(each.words()[0]))
        execution(*inner, each.words(), seen);
    }
  for (unsigned i = 0; i < desc.entries; i++)
    if (desc.kind == CompiledKind::range) {
      const RangeEntry& e = desc.range_entries()[i];
      seen.accesses += p[1] - (p[1] && e.minus);
      (table_.store_p(e.site) ? events_.stores : events_.loads) += p[1] - (p[1] && e.minus);
    } else {
      const BlockEntry& e = desc.block_entries()[i];
      seen.accesses += desc.kind == CompiledKind::tally ? p[e.length_word] : e.execution();
      count(e);
    }
}

void Counter::count(const BlockEntry& e) {
  switch (e.kind) {
    case EventKind::load: events_.loads++; break;
    case EventKind::store: events_.stores++; break;
    case EventKind::local_birth: events_.locals++; break;
    case EventKind::external_store:
    case EventKind::external_call: events_.external++; break;
    case EventKind::pointer: events_.pointers++; break;
    case EventKind::function_enter:
    case EventKind::function_exit: events_.functions++; break;
    case EventKind::loop_enter:
    case EventKind::loop_iteration:
    case EventKind::loop_exit: events_.loops++; break;
    default: break;  // a value belongs to its access
  }
}

std::vector<SiteId> Counter::sites(const CompiledDesc& desc) const {
  std::vector<SiteId> result;
  for (unsigned i = 0; i < desc.entries; i++)
    if (desc.kind == CompiledKind::range)
      result.push_back(desc.range_entries()[i].site);
    else if (desc.block_entries()[i].execution())
      result.push_back(desc.block_entries()[i].site);
  return result;
}

void Counter::print_place(const CompiledDesc& desc) const {
  const std::vector<SiteId> all = sites(desc);
  for (const auto& unit : table_.all()) {
    const UnitImage& image = unit->image;
    const auto loop = desc.loop - unit->first_loop;
    const bool in_loop = desc.loop && loop < image.loops().size();
    if (in_loop) {
      const auto& fn = image.functions()[image.loops()[loop].function];
      std::fprintf(out_, "%s %u", image.text(fn.name), loop);
    }
    const char* separator = ": ";
    for (const SiteId site : all) {
      const auto row = site - unit->first_site;
      if (row >= image.sites().size()) continue;
      const mprt_site& s = image.sites()[row];
      if (!in_loop && *separator == ':')
        std::fputs(image.text(image.functions()[s.function].name), out_);
      std::fprintf(out_, "%s%u", separator, s.line);
      separator = " ";
    }
  }
}

void Counter::print() const {
  std::vector<std::pair<const CompiledDesc*, Seen>> rows(descriptors_.begin(),
                                                         descriptors_.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    const auto words = [](const auto& row) { return row.second.words; };
    if (words(a) != words(b)) return words(a) > words(b);
    return a.first < b.first;
  });
  Seen all;
  std::uint64_t entries = 0;
  for (const auto& [desc, seen] : rows) {
    all.records += seen.records;
    all.accesses += seen.accesses;
    entries += seen.records * desc->entries;
  }
  std::fprintf(out_,
               "%" PRIu64 " records, %" PRIu64 " entries, %" PRIu64
               " bytes, %" PRIu64 " accesses\n",
               all.records, entries, words_ * 8, all.accesses);
  const Events& e = events_;
  std::fprintf(out_,
               "%" PRIu64 " events: %" PRIu64 " loads, %" PRIu64 " stores, %" PRIu64
               " of loops, %" PRIu64 " of functions, %" PRIu64 " pointers, %" PRIu64 " locals, %" PRIu64 " external, %" PRIu64 " of objects; %" PRIu64 " values\n",
               e.loads + e.stores + e.loops + e.functions + e.pointers + e.locals + e.external + e.objects, e.loads,
               e.stores, e.loops, e.functions, e.pointers, e.locals, e.external, e.objects, e.values);
  std::fputs("records entries words accesses kind where\n", out_);
  for (const auto& [desc, seen] : rows) {
    std::fprintf(out_, "%10" PRIu64 " %3u %3u %11" PRIu64 " %s%s ",
                 seen.records, desc->entries, unsigned{desc->words}, seen.accesses,
                 kind_name(desc->kind),
                 desc->iteration ? " i" : "");
    print_place(*desc);
    std::fputc('\n', out_);
  }
  for (std::size_t i = 0; i < controls_.size(); i++)
    if (controls_[i].records)
      std::fprintf(out_, "%10" PRIu64 "   0 %3u           0 %s\n",
                   controls_[i].records, k_control_shapes[i].words,
                   k_control_shapes[i].name);
}

}  // namespace

bool count_stream(StreamFile& file, std::FILE* out) {
  return Counter(file, out).run();
}

}  // namespace memprof::backend
