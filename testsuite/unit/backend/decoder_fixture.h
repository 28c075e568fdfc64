// decoder_fixture.h - what the decoder makes of a stretch of stream, as text.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>

#include "runtime/backend/decode/decoder.h"
#include "testsuite/unit/backend/backend_testutil.h"
#include "testsuite/unit/backend/stream_builder.h"

namespace memprof::backend::testing {

inline const char* name_of(EventKind kind) {
  static const char* const names[] = {
      "load", "store", "external", "range", "enter", "iter", "exit", "birth", "death",
      "local", "thread_end", "resume", "gap", "thread", "block", "value", "called",
      "returned", "pointer", "global", "maybe_written", "external_call"};
  static_assert(std::size(names) == static_cast<std::size_t>(EventKind::external_call) + 1);
  return names[static_cast<int>(kind)];
}

// One line per event: what happened, where it lies in which object, when.
inline std::string text(const Trace& batch, const GroupTable& groups) {
  std::ostringstream out;
  const auto object = [&](GroupId group, std::uint32_t serial,
                          std::uint64_t offset) {
    if (!group) {
      out << " unknown";
      return;
    }
    const feedback::Group& g = groups.name(group);
    out << ' ' << (g.line ? std::to_string(g.line) : g.function) << '#' << serial
        << '+' << offset;
  };
  for (const FlatEvent& e : batch.events) {
    out << name_of(e.kind);
    switch (e.kind) {
      case EventKind::load:
      case EventKind::store:
        out << ' ' << e.site;
        object(e.group, e.object, e.address - e.base);
        out << " w" << e.width << " t" << e.time;
        break;
      case EventKind::range: {
        const Range& r = batch.ranges[e.index];
        out << " loop " << r.loop << " n" << r.count << " t" << r.first_time;
        if (r.rows > 1) out << " rows " << r.rows << (r.inside ? " inside " : " of ") << r.outer;
        for (const RangeAccess& a : batch.accesses_of(r)) {
          out << (a.store ? " store " : " load ") << a.site;
          object(a.group, a.object, a.address - a.base);
          out << " step" << a.step << " n" << a.count;
          if (r.rows > 1) out << " row" << a.row_step;
        }
        break;
      }
      case EventKind::loop_enter:
      case EventKind::loop_iteration:
      case EventKind::loop_exit:
        out << ' ' << e.index;
        break;
      case EventKind::loop_resume:
        out << ' ' << e.index << " frame " << e.address;
        break;
      case EventKind::thread_end:
        break;
      default:
        object(e.group, e.object, 0);
        out << " w" << e.width << " t" << e.time;
    }
    out << '\n';
  }
  return out.str();
}

// TEXT without its first N lines.
inline std::string lines(const std::string& text, unsigned n) {
  std::size_t at = 0;
  while (n-- != 0) at = text.find('\n', at) + 1;
  return text.substr(at);
}

class DecoderTest : public ::testing::Test {
 protected:
  // Decodes WORDS as a whole; batches are added up.
  std::string decode(const Words& words) {
    const std::uint64_t* p = words.words.data();
    const std::uint64_t* const end = p + words.words.size();
    std::string out;
    do {
      batch_.clear();
      stop_ = decoder_.decode(ring_, &p, end, batch_);
      decoder_.finish(batch_);
      out += text(trace_of(batch_), decoder_.groups());
      EXPECT_LT(batch_.events.size(), BatchWriter::k_batch_events + 300);
    } while (stop_ == Stop::batch_full);
    left_ = static_cast<std::size_t>(end - p);
    return out;
  }
  // What WORDS, which fit into a batch, represent, one access after the other, without objects; how
  // many accesses these are, and how many more are corrupt or beyond memory.
  std::string expanded(const Words& words) {
    const std::uint64_t* p = words.words.data();
    const std::uint64_t corrupt = decoder_.counts().corrupt + decoder_.counts().beyond;
    batch_.clear();
    decoder_.decode(ring_, &p, p + words.words.size(), batch_);
    decoder_.finish(batch_);
    std::ostringstream out;
    for_each(batch_, [&out](const Event& e, std::uint64_t width) {
      out << name_of(e.kind) << ' ' << e.address << ' ' << width;
      if (e.kind < EventKind::birth) out << ' ' << e.index;
      out << '\n';
    });
    out << batch_.end - batch_.time << ' ' << decoder_.counts().corrupt + decoder_.counts().beyond - corrupt;
    return out.str();
  }
  void load(TestModule& module) { decode(module.load()); }

  Decoder decoder_;
  StreamRing ring_;
  Batch batch_;
  Stop stop_ = Stop::exhausted;
  std::size_t left_ = 0;
};

}  // namespace memprof::backend::testing
