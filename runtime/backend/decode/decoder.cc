// decoder.cc - from records to batches of object-relative events.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which record it is, and single accesses. Blocks are in decoder_blocks.cc, ranges and nests of
// them in decoder_ranges.cc, control records (objects, modules, threads) in decoder_control.cc,
// the objects of accesses in decoder_targets.cc.
#include "runtime/backend/decode/decoder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "runtime/backend/stream/records.h"
#include "runtime/backend/stream/sum_words.h"

namespace memprof::backend {

Decoder::Decoder() : objects_(groups_) { nests_.reserve(k_max_nests); }

void Decoder::leave_out_columns() {
  keeps_columns_ = false;
  groups_.forget_accesses();
}

// An access where no program has memory: the execution stays, what it touches
// goes, so that modules see user addresses only.
void Decoder::beyond(SiteId site, std::uint64_t address, EventKind kind) {
  counts_.corrupt++;
  nothing(site, address, kind);
}

// An execution that touches nothing.
void Decoder::nothing(SiteId site, std::uint64_t address, EventKind kind) {
  if (keeps_columns_) put_nothing(site, address, batch_time());
  time_++;
  emit({address, {site}, 0, kind});
}

// One access of WIDTH > 0 bytes.
void Decoder::access(SiteId site, std::uint64_t address, std::uint64_t width,
                     EventKind kind) {
  if (address >= k_user_end - width) [[unlikely]] {
    beyond(site, address, kind);
    return;
  }
  if (keeps_columns_) {
    Columns::State& s = columns_[site];
    if (address - s.base >= s.size || s.epoch != epoch_ ||
        batch_->targets[s.target].width != width)
      retarget(site, s, address, width);
    columns_.put(site, s, {address, batch_time(), s.target});
  }
  time_++;
  emit_wide(kind, address, site, width);
}

void Decoder::mixed_block(const CompiledDesc& desc, const std::uint64_t* p) {
  if (desc.iteration) loop_event(EventKind::loop_iteration, desc.loop);
  mixed_entries(desc, desc.block_entries(), p);
}

// Says what the access E moved, if the record does.
void Decoder::value_of(const CompiledDesc& desc, const BlockEntry* e, const std::uint64_t* p) {
  for (const ValueEntry& v : std::span(desc.value_entries(), desc.values))
    if (v.entry == e - desc.block_entries())
      emit({p[v.word] + v.offset, {v.site}, v.width, EventKind::value});
}

// The entries from E on.
void Decoder::mixed_entries(const CompiledDesc& desc, const BlockEntry* e,
                            const std::uint64_t* p) {
  for (const BlockEntry* const end = desc.block_entries() + desc.entries; e < end; e++) {
    if (e->loop_event() || e->function_event()) {
      loop_event(*e, p);
      continue;
    }
    const std::uint64_t address = p[e->word] + e->offset;
    if (e->pointer()) {
      emit({address, {e->site}, static_cast<std::uint32_t>(e->width), EventKind::pointer});
      continue;
    }
    const std::uint64_t width = e->length_word ? p[e->length_word] : e->width;
    const bool execution = e->execution();
    if (width > k_max_width || address >= k_user_end - width) {
      if (execution)
        beyond(e->site, address, e->kind);
      else
        counts_.corrupt++;
    } else if (execution && width) {
      access(e->site, address, width, e->kind);
      value_of(desc, e, p);
    } else if (execution) {
      nothing(e->site, address, e->kind);
    } else if (width) {
      emit_wide(e->kind, address, k_no_site, width);
    }
  }
}

void Decoder::open(Batch& batch) {
  batch_ = &batch;
  const std::size_t filled = batch.events.size();
  if (filled == 0) {
    batch.time = time_;
    batch.clock = counts_.burst_began;
  }
  columns_.open(batch);
  new_epoch();
  // Room for everything that a site record can stand for.
  batch.events.resize(std::max(filled, batch_events_) + k_overshoot);
  next_ = batch.events.data() + filled;
  room_end_ = batch.events.data() + batch.events.size();
  event_limit_ = batch.events.data() + batch_events_;
  const std::size_t words = batch.words.size();
  batch.words.resize(std::max(words, batch_words()) + k_word_overshoot);
  next_word_ = batch.words.data() + words;
  word_limit_ = batch.words.data() + batch_words();
  time_limit_ = batch.time + k_batch_time;
  limit_accesses();
}

// Of the batches behind BATCH, if it is full.
void Decoder::choose_size(const Batch& batch) {
  constexpr std::size_t k_short = 30, k_long = 200;
  const std::size_t columns = batch.columns.size(), words = batch.words.size();
  if (words < batch_words() / 2) return;
  if (columns * k_short > words && batch_events_ < k_batch_events * k_largest)
    batch_events_ *= 2;
  else if (columns * k_long < words && batch_events_ > k_batch_events)
    batch_events_ /= 2;
}

void Decoder::close() {
  batch_->end = time_;
  batch_->words.resize(filled_words());
  batch_->events.resize(filled());
}

void Decoder::grow() {
  const std::size_t n = filled();
  batch_->events.resize(n);
  batch_->events.resize(2 * n);
  next_ = batch_->events.data() + n;
  room_end_ = batch_->events.data() + batch_->events.size();
  event_limit_ = batch_->events.data() + batch_events_;
}

Stop Decoder::decode(StreamRing& ring, const std::uint64_t** position,
                     const std::uint64_t* end, Batch& batch) {
  const Filling filling(*this, batch);
  const std::uint64_t* p = *position;
  Stop stop = Stop::exhausted;
  // Records of a loop often follow each other.
  std::uint64_t last_header = 0;
  const CompiledDesc* desc = nullptr;
  SumWords sums;
  for (;; *position = p) {
    if (full()) {
      stop = Stop::batch_full;
      break;
    }
    if (expansion_.left) [[unlikely]] {
      expand();
      continue;
    }
    if (!nests_.empty()) [[unlikely]] {
      next_of_nest();
      continue;
    }
    if (p >= end) break;
    __builtin_prefetch(p + k_prefetch_words);
    const std::uint64_t header = read_header(p);
    if (control_p(header)) [[unlikely]] {
      const std::size_t words = whole_record(p, end);
      if (!words) {
        stop = Stop::corrupt;
        break;
      }
      stop = control(ring, p, words);
      last_header = 0;
      note_objects();
      if (stop == Stop::ticket) break;
      p += words;
      if (stop == Stop::exhausted) continue;
      *position = p;
      break;
    }
    const std::size_t words = header & MPRT_LENGTH_MASK;
    if (words == 0 || words > static_cast<std::size_t>(end - p)) {
      stop = Stop::corrupt;
      break;
    }
    if (header != last_header) {
      desc = units_.find(header);
      last_header = header;
      if (desc) units_.note_use(*desc);
    }
    if (!desc) [[unlikely]] {
      if (!skip_unknown_) {
        stop = Stop::unknown;
        break;
      }
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
    if (ring.early != 0) [[unlikely]] {
      early_record(*desc, sums.of(*desc, p, header), header, ring.early);
      p += words;
      continue;
    }
    set_thread(ring.thread);
    if (desc->kind == CompiledKind::block) [[likely]] {
      p = !keeps_columns_ ? blocks<Items::none>(desc, header, p, end)
          : wanders_      ? blocks<Items::wandering>(desc, header, p, end)
                          : blocks<Items::steady>(desc, header, p, end);
      last_header = 0;
      continue;
    }
    desc->counts->records += executions;
    switch (desc->kind) {
      case CompiledKind::block: break;  // above
      case CompiledKind::mixed: mixed_block(*desc, sums.of(*desc, p, header)); break;
      case CompiledKind::range:
        range(*desc, p);
        if (!expansion_.left) p += joined(*desc, p, p + words, end);
        break;
      case CompiledKind::run: run(*desc, p, header); break;
      case CompiledKind::loop_resume:
        loop_event(EventKind::loop_resume, desc->loop, p[1]);
        break;
      case CompiledKind::tally: tally(*desc, p); break;
      case CompiledKind::nest:
        nest_thread_ = ring.thread;
        nest(*desc, p);
        break;
    }
    p += words;
  }
  return stop;
}

}  // namespace memprof::backend
