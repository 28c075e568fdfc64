// whole_stream.h - the table whole_stream: the grammars of a run.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/table.h"

namespace memprof::feedback {

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

// Streams are of one run: a sum has no such table (head_sum.cc), so nothing adds up.
inline auto key(const WholeStream& r) { return std::tie(r.hash); }
inline void add_row(WholeStream&, const WholeStream&) {}

// One row; bytes and symbols are those of the grammars; rasg_a <= rasg_ia.
template <>
struct Rules<WholeStream> {
  template <class Checker>
  void check(Checker& c, const WholeStream& r) {
    if (&r != &c.profile().whole_stream.front()) c.fault("", "a second row");
    if (r.file.find('/') != std::string::npos) c.fault("file", "expected a name without a folder");
    Count bytes = 0;
    for (const WholeStream::Sizes& g : r.grammars)
      if (g.of != "address") bytes = c.sum(bytes, g.bytes);
    if (bytes != r.omsg_bytes)
      c.fault("omsg_bytes", c.num(r.omsg_bytes) + " is not the sum of the grammars', " + c.num(bytes));
    c.at_most("rasg_a_bytes", r.rasg_a_bytes, r.rasg_ia_bytes, "rasg_ia_bytes");
    if (c.profile().run.mode == "full")
      c.at_most("accesses", r.accesses, c.profile().run.accesses, "the run's accesses");
  }
};

template <class Factors>
void scale(WholeStream&, const Factors&) {}

}  // namespace memprof::feedback
