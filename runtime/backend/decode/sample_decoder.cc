// sample_decoder.cc - sample mode: what is recorded outside of bursts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/sample_decoder.h"

#include <span>

#include "runtime/backend/decode/range_writer.h"
#include "runtime/backend/stream/run_records.h"
#include "runtime/wire/ring.h"

namespace memprof::backend {

namespace {

// What an entry of a block does to memory; site: k_no_site if that is external.
RangeAccess block_access(const BlockEntry& e, const std::uint64_t* p) {
  RangeAccess access{};
  const bool external = e.kind == EventKind::external_store;
  if (!e.execution() && !external) return access;
  access.address = p[e.word] + e.offset;
  access.count = 1;
  access.width = e.length_word ? p[e.length_word] : e.width;
  access.site = external ? k_no_site : e.site;
  access.store = external || e.kind == EventKind::store;
  return access;
}

}  // namespace

// ACCESS lies outside of bursts. It represents TIMES such ones, or for none if it was reported
// only because it is one of the first. Of one whose index WRAPS around, or that does not lie in
// one object, only the executions are known.
void SampleDecoder::sample_access(RangeAccess access, std::uint64_t times, bool wraps) {
  if (access.count == 0 || access.width == 0) return;
  if (access.site != k_no_site) samples_[access.site].add(times, access.count);
  if (!wraps && resolver_.in_one_object(access))
    out_.batch().loop_samples.push_back({access, times, counts_.places(), out_.thread()});
}

const CompiledDesc* SampleDecoder::loop_sample(std::uint64_t times, const std::uint64_t* p, std::size_t words) {
  const CompiledDesc* desc = words != 0 ? units_.find(p[0]) : nullptr;
  constexpr std::uint64_t k_max_times = std::uint64_t{1} << 32;
  const bool loop = desc && desc->kind == CompiledKind::range;
  const bool call = desc && (desc->kind == CompiledKind::block ||
                             desc->kind == CompiledKind::mixed);
  if (!(loop || call) || times > k_max_times || desc->words != words ||
      (p[0] & MPRT_LENGTH_MASK) != words) {
    counts_.corrupt++;
    return nullptr;
  }
  for (const RangeEntry& e : std::span(desc->range_entries(), loop ? desc->entries : 0u)) {
    if (p[1] > k_max_count) continue;
    const RangeAccess access = range_access(e, p);
    if (access.count != 0 && access.site != k_no_site) samples_[access.site].add_loop(times);
    sample_access(access, times, wraps_p(e, access, e.index(p)));
  }
  for (const BlockEntry& e : std::span(desc->block_entries(), call ? desc->entries : 0u))
    sample_access(block_access(e, p), times, false);
  out_.mark();
  return desc;
}

void SampleDecoder::loop_in_window(const RangeAccess& access, bool wraps) {
  if (access.count == 0 || !units_.tells_p(access.site)) return;
  SiteSamples& samples = samples_[access.site];
  samples.add_loop(1);
  samples.add(1, access.count);
  if (samples.loops_seen <= k_first_seen && !wraps) seen_in_window(access);
}

void SampleDecoder::call_in_window(const BlockEntry& entry, const std::uint64_t* p) {
  const RangeAccess access = block_access(entry, p);
  if (!units_.tells_p(entry.site) || access.width < MPRT_LONG_CALL) return;
  SiteSamples& samples = samples_[entry.site];
  samples.add(1, 1);
  if (samples.seen <= k_first_seen) seen_in_window(access);
}

void SampleDecoder::seen_in_window(RangeAccess access) {
  if (access.width != 0 && resolver_.in_one_object(access))
    out_.batch().loop_samples.push_back({access, 1, counts_.places(), out_.thread()});
}

void SampleDecoder::early_record(const CompiledDesc& desc, const std::uint64_t* p,
                           std::uint64_t header, std::uint64_t one_in) {
  const auto block = [&](const std::uint64_t* words) {
    for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries)) {
      if (e.execution()) samples_[e.site].add(0, one_in);
      if (e.kind == EventKind::loop_enter && one_in == 1) {
        if (e.site >= early_entries_.size()) early_entries_.resize(e.site + 1);
        early_entries_[e.site]++;
      }
      if (const RangeAccess a = block_access(e, words); a.store) early_store(a, one_in);
    }
  };
  if (desc.kind == CompiledKind::block || desc.kind == CompiledKind::mixed) {
    block(p);
  } else if (desc.kind == CompiledKind::run) {
    for (RunRecords each(desc, p, header); each.left(); each.advance()) block(each.words());
  } else if (desc.kind == CompiledKind::range && p[1] <= k_max_count) {
    for (const RangeEntry& e : std::span(desc.range_entries(), desc.entries)) {
      RangeAccess a = range_access(e, p);
      samples_[e.site].add_loop(units_.tells_p(e.site) ? 1 : 0);
      // A loop that reports samples does so for all that is outside of bursts.
      if (units_.tells_p(e.site))
        samples_[e.site].add(1, a.count);
      else
        samples_[e.site].add(0, a.count * one_in);
      if (!e.store || wraps_p(e, a, e.index(p))) continue;
      if (a.count > k_max_early) {
        if (resolver_.in_one_object(a)) out_.batch().loop_samples.push_back({a, 1, counts_.places(), out_.thread()});
        continue;
      }
      RangeAccess one = a;
      one.count = 1;
      for (std::uint64_t k = 0; k < a.count; k++) {
        early_store(one, one_in);
        one.address += static_cast<std::uint64_t>(a.step);
      }
    }
  }
}

void SampleDecoder::early_store(RangeAccess access, std::uint64_t one_in) {
  if (access.width != 0 && resolver_.in_one_object(access))
    out_.batch().early.push_back({access, one_in, counts_.places()});
}

}  // namespace memprof::backend
