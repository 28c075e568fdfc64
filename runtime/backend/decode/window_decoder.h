// window_decoder.h - sample mode: the records of windows.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a thread records in a window says which lines and pages it uses again, and when. No event is
// made, and executions are counted only of loops and calls that report samples elsewhere: what is done once,
// and just then, would be lost (SampleDecoder::loop_in_window). The accesses go into
// Batch::window_uses, thinned as window_use.h says:
//
//     window of thread 1       { D, q } ...           load q + 8, load q + 16, ...
//     Batch::window_uses       begin, line 0x7f12 of site 4 in group 2, ..., end
//
// A loop that one record describes has no place inside where a window could begin, however long it runs. So the
// record of such a loop, in a burst or a sample, is a window by itself, if it has all accesses of the loop; and of many
// records of one loop, fewer and fewer are.
//
// Not taken: accesses whose index wraps around in a range; what calls of foreign code write.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/backend/decode/batch_writer.h"
#include "runtime/backend/decode/object_resolver.h"
#include "runtime/backend/decode/range_writer.h"
#include "runtime/backend/decode/sample_decoder.h"
#include "runtime/backend/program/loaded_units.h"
#include "runtime/backend/stream/stream.h"

namespace memprof::backend {

class WindowDecoder {
 public:
  WindowDecoder(LoadedUnits& units, BatchWriter& out, ObjectResolver& resolver,
                RangeWriter& writer, SampleDecoder& samples)
      : units_(units), out_(out), resolver_(resolver), writer_(writer), samples_(samples) {}

  void begin(StreamRing& ring, const WindowUse& known = {});
  void end(StreamRing& ring);
  void leave_out_loops() { loops_wanted_ = false; }
  // A record P outside of windows, which makes sense; what is no range is no long loop.
  void long_loop(StreamRing& ring, const CompiledDesc& desc, const std::uint64_t* p);
  // A record P, which makes sense, with all its words.
  void record(StreamRing& ring, const CompiledDesc& desc, const std::uint64_t* p,
              std::uint64_t header);
  // The batch has as many uses as it is meant to have.
  bool full() { return out_.batch().window_uses.size() >= BatchWriter::k_window_uses; }

 private:
  static constexpr std::uint64_t k_most_accesses = std::uint64_t{1} << 27;

  struct Stretch {  // accesses of a range that come next
    RangeAccess access;
    std::uint64_t k = 0;
  };

  // What is known of a loop whose records may be windows.
  struct SampledLoop {
    bool known = false, whole = false;  // its record has all accesses
    std::uint64_t executions = 0;  // that could be windows
  };

  bool whole_p(const CompiledDesc& desc) const;
  // Accesses of what the range record P describes.
  std::uint64_t add_stretches(const CompiledDesc& desc, const std::uint64_t* p, bool report);
  // Lines that the stretches access in all their executions, in order and each at one time; 0: not so.
  std::uint64_t swept_lines() const;
  // The stretches from execution number FIRST on, until the window has MOST accesses.
  void follow_stretches(std::uint64_t first, std::uint64_t most);
  void block(const CompiledDesc& desc, const std::uint64_t* p);
  void range(const CompiledDesc& desc, const std::uint64_t* p);
  void nest(const CompiledDesc& desc, const std::uint64_t* p, unsigned depth);
  void access(SiteId site, std::uint64_t address, std::uint64_t width, std::uint64_t count);
  void touch(SiteId site, std::uint64_t address, std::uint64_t count);
  void pass(std::uint64_t accesses);
  bool first_p(WindowUse::Kind kind, std::uint64_t number);

  LoadedUnits& units_;
  BatchWriter& out_;
  ObjectResolver& resolver_;
  RangeWriter& writer_;
  SampleDecoder& samples_;
  StreamRing* ring_ = nullptr;  // of the record at hand
  std::uint64_t windows_ = 0;
  std::uint64_t marked_[1024] = {};  // of the marked lines and pages that were accessed last
  std::vector<Stretch> stretches_;
  bool loops_wanted_ = true;
  std::unordered_map<const CompiledDesc*, SampledLoop> loops_;
};

}  // namespace memprof::backend
