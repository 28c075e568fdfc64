// sample_decoder.h - sample mode: what is recorded outside of bursts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bursts record everything, but see little of the run. Two more kinds of records say what
// happened between them:
//
//   loop samples    the range record of one execution of a loop in N, or the record of a long
//                   call, with N: executions of its sites, and the memory that it accessed
//   early bursts    short bursts near the start of the run, or at a function's first entries:
//                   nothing in them is counted, but their stores may be the writers of what is
//                   loaded later
//
// Neither makes events. The batch has them as loop_samples and early (batch.h), and executions
// are kept by site until the end of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/backend/base/per_site.h"
#include "runtime/backend/decode/object_resolver.h"
#include "runtime/backend/event/loop_samples.h"
#include "runtime/backend/program/loaded_units.h"

namespace memprof::backend {

class SampleDecoder {
 public:
  SampleDecoder(LoadedUnits& units, BatchWriter& out, ObjectResolver& resolver,
                StreamCounts& counts)
      : units_(units), out_(out), resolver_(resolver), counts_(counts) {}

  // The record P of a loop or a call represents TIMES such ones. Its descriptor; null: it makes no sense.
  const CompiledDesc* loop_sample(std::uint64_t times, const std::uint64_t* p, std::size_t words);
  // A record P of an early burst, which is one in ONE_IN: only what it stores counts.
  void early_record(const CompiledDesc& desc, const std::uint64_t* p, std::uint64_t header,
                    std::uint64_t one_in);

  // A loop or a long call in a window, where it reports no samples: it represents itself. Of a loop
  // whose index WRAPS around only the executions are known.
  void loop_in_window(const RangeAccess& access, bool wraps);
  void call_in_window(const BlockEntry& entry, const std::uint64_t* p);

  PerSite<SiteSamples>& samples() { return samples_; }
  // Entries of loops in early bursts that represent themselves, by LoopId.
  const std::vector<std::uint32_t>& early_entries() const { return early_entries_; }

 private:
  static constexpr std::uint64_t k_max_early = 64;  // iterations whose stores are taken one by one
  static constexpr std::uint64_t k_first_seen = 8;  // of those in windows, what they access is kept

  void seen_in_window(RangeAccess access);
  void sample_access(RangeAccess access, std::uint64_t times, bool wraps);
  void early_store(RangeAccess access, std::uint64_t one_in);

  LoadedUnits& units_;
  BatchWriter& out_;
  ObjectResolver& resolver_;
  StreamCounts& counts_;
  PerSite<SiteSamples> samples_;
  std::vector<std::uint32_t> early_entries_;
};

}  // namespace memprof::backend
