// pages.h - the table pages: walks of page tables and requests to memory.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

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

// In the order of the enumerators.
inline constexpr const char* k_page_source_names[] = {"model", "pagemap", "pmu", nullptr};

inline bool empty_p(const Pages::Memory& m) {
  return m.requests == 0 && m.write_backs == 0 && m.left == 0 && m.walk_dram == 0;
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

inline auto key(const Pages& r) { return std::tie(r.group, r.object, r.thread, r.source); }
inline void add_row(Pages& sum, const Pages& r) {
  add_count(sum.reads, r.reads);
  add_count(sum.writes, r.writes);
  add_count(sum.walks, r.walks);
  add_count(sum.walk_refs, r.walk_refs);
  add_count(sum.variance, r.variance);
  for (Pages::Memory Pages::*of : {&Pages::memory, &Pages::as_read}) {
    add_count((sum.*of).requests, (r.*of).requests);
    add_count((sum.*of).write_backs, (r.*of).write_backs);
    add_count((sum.*of).left, (r.*of).left);
    add_count((sum.*of).walk_dram, (r.*of).walk_dram);
  }
}

// One row per group, object, thread and source; walk_dram <= walk_refs.
template <>
struct Rules<Pages> {
  std::set<std::tuple<Id, Count, std::uint32_t, PageSource>> seen;

  template <class Checker>
  void check(Checker& c, const Pages& r) {
    if (!seen.emplace(r.group, r.object, r.thread, r.source).second)
      c.fault("", "a second row with this group, object, thread and source");
    c.at_most("memory/walk_dram", r.memory.walk_dram, r.walk_refs, "walk_refs");
    c.at_most("as_read/walk_dram", r.as_read.walk_dram, r.walk_refs, "walk_refs");
  }
};

template <class Factors>
void scale(Pages&, const Factors&) {}

}  // namespace memprof::feedback
