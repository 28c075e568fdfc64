// control_decoder.h - control records: tickets, objects, threads, bursts, the end.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A realloc is two records, because the old object may die, and its memory be
// handed to another thread, before the new one is known. REALLOC_REQUEST only
// notes which object is meant. REALLOC_RESULT kills it, if it still lives and
// the call did not fail, and makes the new one.
//
// What records say about units is UnitDecoder's, what they say between bursts SampleDecoder's,
// what they say in windows WindowDecoder's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "runtime/backend/decode/birth_groups.h"
#include "runtime/backend/decode/decoder_hooks.h"
#include "runtime/backend/decode/object_life.h"
#include "runtime/backend/decode/sample_decoder.h"
#include "runtime/backend/decode/unit_decoder.h"
#include "runtime/backend/decode/window_decoder.h"
#include "runtime/backend/stream/stream.h"

namespace memprof::backend {

// Why Decoder::decode() came back.
enum class Stop {
  exhausted,   // the whole stretch is used
  batch_full,
  ticket,      // ring.wanted_ticket has not been reached
  chunk_end,   // after a CHUNK_END
  signal,      // after a SIGNAL_ENTER or SIGNAL_EXIT
  unknown,     // before a record of a unit that is not loaded
  corrupt      // before something that is no record
};

class ControlDecoder {
 public:
  ControlDecoder(LoadedUnits& units, BatchWriter& out, ObjectResolver& resolver,
                 SampleDecoder& samples, WindowDecoder& windows, const DecoderHooks& hooks,
                 StreamCounts& counts)
      : out_(out), resolver_(resolver), samples_(samples), windows_(windows), hooks_(hooks),
        counts_(counts),
        life_(out, resolver, counts), births_(units, resolver.groups(), hooks),
        units_(units, out, resolver, life_, births_, hooks, counts) {}

  // The record P, which is whole.
  Stop record(StreamRing& ring, const std::uint64_t* p, std::size_t words);
  // The same of a record that is about a unit.
  void unit_record(StreamRing& ring, const std::uint64_t* p, std::size_t words) {
    units_.record(ring, p, words);
  }

  // Tickets 1 .. passed_ticket() have been passed.
  std::uint64_t passed_ticket() const { return passed_ticket_; }
  // Passes all tickets below TICKET without having seen them.
  void skip_to_ticket(std::uint64_t ticket) { passed_ticket_ = ticket - 1; }
  std::uint64_t loads() const { return units_.loads(); }
  const LiveMemory& memory() const { return life_.memory(); }
  std::vector<mprt_live_object> live_objects() const {
    return births_.live_objects(resolver_.objects());
  }

 private:
  bool pass_ticket(StreamRing& ring, std::uint64_t ticket);
  Stop marker(StreamRing& ring, std::uint64_t tag, std::uint64_t value);
  Stop gap(const StreamRing& ring);
  void end_burst(StreamRing& ring) {
    if (std::exchange(ring.in_burst, false)) life_.burst_ends();
  }
  void born(const std::uint64_t* p);  // or unmapped
  void realloc_result(StreamRing& ring, const std::uint64_t* p);
  void thread_start(StreamRing& ring, const std::uint64_t* p);
  void thread_end(StreamRing& ring);

  BatchWriter& out_;
  ObjectResolver& resolver_;
  SampleDecoder& samples_;
  WindowDecoder& windows_;
  const DecoderHooks& hooks_;
  StreamCounts& counts_;
  ObjectLife life_;
  BirthGroups births_;
  UnitDecoder units_;
  std::unordered_set<std::uint32_t> numbers_;  // of threads that have started
  std::uint64_t passed_ticket_ = 0;
};

}  // namespace memprof::backend
