// decoder.cc - from records to batches of object-relative events.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/decoder.h"

#include "runtime/backend/stream/records.h"
#include "runtime/backend/stream/run_records.h"

namespace memprof::backend {

void Decoder::unit_record(StreamRing& ring, const std::uint64_t* p, std::size_t words,
                          Batch& batch) {
  const Filling filling(*this, batch);
  control_.unit_record(ring, p, words);
}

bool Decoder::finish_expansion(Batch& batch) {
  if (!ranges_.busy()) return true;
  const Filling filling(*this, batch);
  while (ranges_.busy() && !out_.full()) ranges_.go_on();
  return !ranges_.busy();
}

[[gnu::always_inline]] inline const std::uint64_t* Decoder::site_records(
    const CompiledDesc& desc, std::uint64_t header, const std::uint64_t* p,
    const std::uint64_t* end, std::uint32_t thread) {
  const std::size_t words = header & MPRT_LENGTH_MASK;
  switch (desc.kind) {
    case CompiledKind::block: break;  // see decode()
    case CompiledKind::mixed: blocks_.mixed_block(desc, p); break;
    case CompiledKind::range:
      ranges_.range(desc, p);
      if (!ranges_.expanding()) return p + words + writer_.join(desc, p, p + words, end);
      break;
    case CompiledKind::run: blocks_.run(desc, p, header); break;
    case CompiledKind::loop_resume:
      out_.emit_loop(EventKind::loop_resume, desc.loop, p[1]);
      break;
    case CompiledKind::tally: ranges_.tally(desc, p); break;
    case CompiledKind::nest: ranges_.nest(desc, p, thread); break;
  }
  return p + words;
}

Stop Decoder::decode(StreamRing& ring, const std::uint64_t** position,
                     const std::uint64_t* end, Batch& batch) {
  const Filling filling(*this, batch);
  const std::uint64_t* p = *position;
  // Records of a loop often follow each other.
  std::uint64_t last_header = 0;
  const CompiledDesc* desc = nullptr;
  for (;; *position = p) {
    if (out_.full()) return Stop::batch_full;
    if (ranges_.busy()) [[unlikely]] {
      ranges_.go_on();
      continue;
    }
    if (p >= end) return Stop::exhausted;
    __builtin_prefetch(p + BlockDecoder::k_prefetch_words);
    const std::uint64_t header = read_header(p);
    if (control_p(header)) [[unlikely]] {
      const std::size_t words = whole_record(p, end);
      if (!words) return Stop::corrupt;
      const Stop stop = control_.record(ring, p, words);
      last_header = 0;
      resolver_.note_objects();
      if (stop == Stop::ticket) return stop;
      p += words;
      if (stop == Stop::exhausted) continue;
      *position = p;
      return stop;
    }
    const std::size_t words = header & MPRT_LENGTH_MASK;
    if (words == 0 || words > static_cast<std::size_t>(end - p)) return Stop::corrupt;
    if (header != last_header) {
      desc = units_.find(header);
      last_header = header;
      if (desc) units_.note_use(*desc);
    }
    if (!desc) [[unlikely]] {
      if (!skip_unknown_) return Stop::unknown;
      counts_.lost++;
      p += words;
      continue;
    }
    const std::size_t executions = RunRecords::executions(*desc, words);
    if (!executions) [[unlikely]] {
      counts_.corrupt++;
      p += words;
      continue;
    }
    if (ring.in_window) [[unlikely]] {
      windows_.record(ring, *desc, p, header);
      p += words;
      if (!windows_.full()) continue;
      out_.mark();
      *position = p;
      return Stop::batch_full;
    }
    if (ring.early != 0) [[unlikely]] {
      windows_.long_loop(ring, *desc, p);
      samples_.early_record(*desc, p, header, ring.early);
      p += words;
      continue;
    }
    resolver_.set_thread(ring.thread);
    if (desc->kind == CompiledKind::block) [[likely]] {
      p = blocks_.blocks(desc, header, p, end);
      last_header = 0;
      continue;
    }
    if (ring.in_burst) windows_.long_loop(ring, *desc, p);
    desc->counts->records += executions;
    p = site_records(*desc, header, p, end, ring.thread);
  }
}

}  // namespace memprof::backend
