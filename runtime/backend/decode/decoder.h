// decoder.h - from records to batches of object-relative events.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The decoder walks over a stretch of one ring and appends to a batch what the
// records represent (batch.h). It knows nothing about the order of rings: it
// stops where others must decide, and the sequencer does.
//
// It only finds out what a record is. The classes around it, each in a file of its name, do
// the work:
//
//     record                                 goes to
//     block, run, single accesses            BlockDecoder
//     range, nest, tally                     RangeExpander, or in one event RangeWriter
//     control: object, thread, ticket        ControlDecoder (ObjectLife, BirthGroups)
//     control: unit                          UnitDecoder
//     control: loop sample; early burst      SampleDecoder
//     what is recorded in a window           WindowDecoder
//
//     all of them ask ObjectResolver which object an access goes to, and write
//     events with BatchWriter
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/backend/decode/batch_writer.h"
#include "runtime/backend/decode/block_decoder.h"
#include "runtime/backend/decode/control_decoder.h"
#include "runtime/backend/decode/decode_counts.h"
#include "runtime/backend/decode/decoder_hooks.h"
#include "runtime/backend/decode/object_resolver.h"
#include "runtime/backend/decode/range_expander.h"
#include "runtime/backend/decode/range_writer.h"
#include "runtime/backend/decode/sample_decoder.h"
#include "runtime/backend/decode/window_decoder.h"
#include "runtime/backend/program/loaded_units.h"
#include "runtime/backend/stream/stream.h"

namespace memprof::backend {

class Decoder : public DecoderHooks {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;  // its parts know each other

  // Uses records of [*P, END), of RING, until something stops it.
  Stop decode(StreamRing& ring, const std::uint64_t** p,
              const std::uint64_t* end, Batch& batch);
  // Takes part of a stretch that is being parked: records about units only.
  void unit_record(StreamRing& ring, const std::uint64_t* p, std::size_t words, Batch& batch);
  // Goes on writing out ranges and nests; false if the batch is full before their end.
  bool finish_expansion(Batch& batch);
  // Call it before a batch is read.
  void finish(Batch& batch) {
    resolver_.finish(batch);
    out_.choose_size(batch);
  }
  bool full(const Batch& batch) const { return out_.full(batch); }

  // Tickets 1 .. passed_ticket() have been passed.
  std::uint64_t passed_ticket() const { return control_.passed_ticket(); }
  // Passes all tickets below TICKET without having seen them.
  void skip_to_ticket(std::uint64_t ticket) { control_.skip_to_ticket(ticket); }
  // No module reads the columns of the batches to come: there are none, and the objects of
  // accesses are not looked up.
  void leave_out_columns() { resolver_.leave_out_columns(); }
  // Records of long loops are no windows.
  void leave_out_windows() { windows_.leave_out_loops(); }
  // From now on records of unknown units are counted as lost.
  void skip_unknown() { skip_unknown_ = true; }
  void count_corrupt() { counts_.corrupt++; }

  const StreamCounts& counts() const { return counts_; }
  PerSite<SiteSamples>& samples() { return samples_.samples(); }
  const std::vector<std::uint32_t>& early_entries() const { return samples_.early_entries(); }
  std::uint64_t time() const { return out_.time(); }
  const LoadedUnits& units() const { return units_; }
  LoadedUnits& units() { return units_; }
  const ObjectManager& objects() const { return resolver_.objects(); }
  GroupTable& groups() { return resolver_.groups(); }
  const LiveMemory& memory() const { return control_.memory(); }
  // A change means that a unit was loaded: parked records may be known now.
  std::uint64_t loads() const { return control_.loads(); }
  std::vector<mprt_live_object> live_objects() const { return control_.live_objects(); }

 private:
  // While it lives, a batch is being filled.
  class Filling {
   public:
    Filling(Decoder& decoder, Batch& batch) : decoder_(decoder), batch_(batch) {
      decoder.resolver_.open(batch);
      decoder.out_.open(batch, decoder.counts_.burst_began);
    }
    ~Filling() {
      decoder_.out_.close();
      batch_.threads = decoder_.counts_.threads;
    }

   private:
    Decoder& decoder_;
    Batch& batch_;
  };
  // The records from P on that are of one descriptor; where they end.
  const std::uint64_t* site_records(const CompiledDesc& desc, std::uint64_t header,
                                    const std::uint64_t* p, const std::uint64_t* end,
                                    std::uint32_t thread);

  StreamCounts counts_;
  LoadedUnits units_;
  BatchWriter out_;
  ObjectResolver resolver_{out_, counts_};
  BlockDecoder blocks_{units_, out_, resolver_, counts_};
  RangeWriter writer_{units_, out_, resolver_, counts_};
  RangeExpander ranges_{units_, out_, resolver_, blocks_, writer_, counts_};
  SampleDecoder samples_{units_, out_, resolver_, counts_};
  WindowDecoder windows_{units_, out_, resolver_, writer_, samples_};
  ControlDecoder control_{units_, out_, resolver_, samples_, windows_, *this, counts_};
  bool skip_unknown_ = false;
};

}  // namespace memprof::backend
