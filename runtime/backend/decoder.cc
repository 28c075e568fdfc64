// decoder.cc - from records to batches of object-relative events: accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ranges and nests of them are in decoder_ranges.cc, control records (objects, modules,
// threads) in decoder_control.cc, the objects of accesses in decoder_targets.cc.
#include "runtime/backend/decoder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "runtime/backend/records.h"
#include "runtime/backend/sum_words.h"

namespace memprof::backend {

namespace {

// How far ahead of the decoder the stream is fetched; measured best: 2 KB.
constexpr std::size_t k_prefetch_words = 256;
// The same for objects: their places and they themselves.
constexpr std::size_t k_place_words = 64, k_object_words = 32;

}  // namespace

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

// Programs that walk from object to object miss the caches, and so does the look-up of
// their objects. Which words of the records to come are addresses is not asked: nearly all
// are.
inline void Decoder::prefetch_objects(const std::uint64_t* p, std::size_t words,
                                      const std::uint64_t* end) const {
  if (static_cast<std::size_t>(end - p) < k_place_words + words) return;
  for (std::size_t i = 0; i < words; i++) {
    objects_.prefetch_place(p[k_place_words + i]);
    objects_.prefetch_object(p[k_object_words + i]);
  }
}

inline void Decoder::emit_block(const CompiledDesc& desc, const std::uint64_t* p) {
  emit_block(desc);
  for (unsigned i = 0; i < desc.words; i++) next_word_[i] = p[i];
  next_word_ += desc.words;
}

// The hot path, which calls nothing, so that all of it lies in registers. Batch, time and
// the rest of the decoder could alias as far as the compiler knows; hence the local copies.
[[gnu::always_inline]] inline void Decoder::block(const CompiledDesc& desc,
                                                  const std::uint64_t* p) {
  if (!keeps_columns_) {
    block_alone(desc, p);
    return;
  }
  const ColumnEntry* c = desc.column_entries();
  const std::uint32_t time = batch_time(), epoch = epoch_;
  Columns::State* const states = &columns_[k_no_site];
  for (const ColumnEntry* const last = c + desc.columns; c < last; c++) {
    const std::uint64_t address = p[c->word] + c->offset;
    Columns::State& s = states[c->site];
    if (address - s.base >= s.size || s.epoch != epoch || s.next == s.end) [[unlikely]] {
      rest_of_block(desc, p, c);
      return;
    }
    Columns::write(s, {address, time + c->time, s.target});
  }
  time_ += desc.executions;
  emit_block(desc, p);
}

// The same from the column entry C on, whose site may need another target or more room.
void Decoder::rest_of_block(const CompiledDesc& desc, const std::uint64_t* p,
                            const ColumnEntry* c) {
  const std::uint32_t time = batch_time(), epoch = epoch_;
  for (const ColumnEntry* const last = desc.column_entries() + desc.columns; c < last; c++) {
    const std::uint64_t address = p[c->word] + c->offset;
    Columns::State& s = columns_[c->site];
    if ((address - s.base >= s.size || s.epoch != epoch) && !retarget(*c, s, address)) {
      odd_block(desc, p, c);
      return;
    }
    columns_.put(c->site, s, {address, time + c->time, s.target});
  }
  time_ += desc.executions;
  emit_block(desc, p);
}

// A block of which the column entry DONE could not be retargeted; those before it are
// in their columns. Convoys are dissolved, and if some access has no memory, the block is
// written out.
void Decoder::odd_block(const CompiledDesc& desc, const std::uint64_t* p,
                        const ColumnEntry* done) {
  const std::uint32_t time = batch_time();
  const std::vector<ColumnEntry> rest(done, desc.column_entries() + desc.columns);
  bool memory = true;
  for (const ColumnEntry& c : rest) {
    const std::uint64_t address = p[c.word] + c.offset;
    Columns::State& s = columns_[c.site];
    if (retarget(c, s, address)) {
      columns_.put(c.site, s, {address, time + c.time, s.target});
    } else if (c.convoy == 0) {
      memory &= put(c.site, address, c.width, time + c.time);
    } else {
      dissolve(c.convoy);
      for (const Convoy::Member& m : modules_.convoys()[c.convoy].members)
        memory &= put(m.site, address + m.offset, m.width, time + c.time + m.time);
    }
  }
  time_ += desc.executions;
  if (memory)
    emit_block(desc, p);
  else
    write_out(desc, p);
}

// Where there are no columns.
void Decoder::block_alone(const CompiledDesc& desc, const std::uint64_t* p) {
  std::uint32_t beyond = 0;
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries))
    beyond += e.execution() && p[e.word] + e.offset >= k_user_end - e.width;
  time_ += desc.executions;
  if (beyond == 0) [[likely]] {
    emit_block(desc, p);
    return;
  }
  counts_.corrupt += beyond;
  write_out(desc, p);
}

// The events of a block, whose accesses are in their columns if there are any.
void Decoder::write_out(const CompiledDesc& desc, const std::uint64_t* p) {
  if (desc.iteration) loop_event(EventKind::loop_iteration, desc.loop);
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries)) {
    if (e.loop_event()) {
      loop_event(e, p);
      continue;
    }
    const std::uint64_t address = p[e.word] + e.offset;
    emit_wide(e.kind, address, e.site, address >= k_user_end - e.width ? 0 : e.width);
    value_of(desc, &e, p);
  }
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

// A range of few iterations, or of one or none whatever its entries are: loops that
// compare strings often end so.
void Decoder::short_range(const CompiledDesc& desc, const std::uint64_t* p) {
  const std::uint64_t count = p[1];
  desc.counts->iterations += count;
  desc.counts->nonempty += count > 0;
  loop_event(EventKind::loop_enter, desc.loop);
  if (const IterationBlocks* blocks = modules_.iteration_blocks(desc)) {
    std::uint64_t words[MPRT_MAX_RECORD_WORDS];
    for (std::uint64_t k = 0; k < count; k++) {
      blocks->words(p, k, words);
      block(blocks->block(k, count), words);
    }
  } else if (count != 0) {
    one_iteration(desc, p);
  }
  loop_event(EventKind::loop_exit, desc.loop);
}

// A run is written column by column if each of its sites stays with its target.
void Decoder::run(const CompiledDesc& desc, const std::uint64_t* p, std::uint64_t header) {
  RunRecords each(desc, p, header);
  const BlockSeries series{desc, next_word_, each.count()};
  bool by_column = keeps_columns_ && !desc.repeated_site;
  if (by_column) {
    each.write(next_word_);
    by_column = put_columns(series);
  }
  if (!by_column) {
    for (; each.left(); each.advance()) block(desc, each.words());
    return;
  }
  for (std::size_t i = 0; i < series.count; i++, next_word_ += desc.words) emit_block(desc);
  if (batch_->accesses.size() >= batch_events_) event_limit_ = next_;
  time_ += series.count * desc.executions;
}

// What the column entry C, whose address moves by a constant, does in RUN is one item.
void Decoder::put_part(const BlockSeries& run, const ColumnEntry& c, Columns::State& s) {
  const Target& target = batch_->targets[s.target];
  const std::uint64_t* const word = run.words + c.word;
  RangeAccess a{};
  a.address = *word + c.offset;
  a.step = static_cast<std::int64_t>(word[run.desc.words] - *word);
  a.count = run.count;
  a.base = target.base;
  a.width = target.width;
  a.site = c.site;
  a.group = target.group;
  a.object = target.object;
  a.range = static_cast<std::uint32_t>(batch_->ranges.size());
  a.before = c.time;
  const auto number = static_cast<std::uint32_t>(batch_->accesses.size());
  Range range{run.count, time_, run.desc.loop, number, 1, thread_};
  range.per_iteration = run.desc.executions;
  batch_->ranges.push_back(range);
  batch_->accesses.push_back(a);
  put_range_item(number, s, batch_time() + c.time);
}

// No site of RUN is there twice. False: some site does not, and nothing was written. In sample
// mode each execution is an item, as bursts look at each.
bool Decoder::put_columns(const BlockSeries& run) {
  const CompiledDesc& desc = run.desc;
  const bool parts = run.count >= k_shortest_part && counts_.bursts == 0;
  const std::span columns(desc.column_entries(), desc.columns);
  for (const ColumnEntry& c : columns) {
    Columns::State& s = columns_[c.site];
    const auto elsewhere = [&] {
      const std::uint64_t base = s.base - c.offset, size = s.size;
      bool out = s.epoch != epoch_;
      const std::uint64_t* word = run.words + c.word;
      for (std::size_t i = 0; i < run.count; i++, word += desc.words) out |= *word - base >= size;
      return out;
    };
    if (elsewhere() && (!retarget(c, s, run.words[c.word] + c.offset) || elsewhere()))
      return false;
  }
  const std::uint32_t begin = batch_time(), step = desc.executions;
  for (const ColumnEntry& c : columns) {
    Columns::State& s = columns_[c.site];
    if (parts && c.word <= desc.common && c.convoy == 0) {
      put_part(run, c, s);
      continue;
    }
    // Copies: an item could be what they are read from, as far as the compiler knows.
    columns_.put_many(c.site, s, run.count,
                      [word = run.words + c.word, words = desc.words, offset = c.offset,
                       time = begin + c.time, step, target = s.target](std::size_t i) {
      return Item{word[i * words] + offset, time + static_cast<std::uint32_t>(i) * step, target};
    });
  }
  return true;
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
  if (batch.accesses.size() >= batch_events_) event_limit_ = next_;
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
    // Read once: the program may still write here, if it means harm.
    const std::uint64_t header = *static_cast<const volatile std::uint64_t*>(p);
    if (control_p(header)) [[unlikely]] {
      const std::size_t words = whole_record(p, end);
      if (!words) {
        stop = Stop::corrupt;
        break;
      }
      stop = control(ring, p, words);
      last_header = 0;
      epoch_ = epochs_ + objects_.epoch();
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
      desc = modules_.find(header);
      last_header = header;
      if (desc) modules_.note_use(*desc);
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
    if (many_retargets_) prefetch_objects(p, words, end);
    desc->counts->records += executions;
    set_thread(ring.thread);
    switch (desc->kind) {
      case CompiledKind::block: block(*desc, sums.of(*desc, p, header)); break;
      case CompiledKind::mixed: mixed_block(*desc, sums.of(*desc, p, header)); break;
      case CompiledKind::range: range(*desc, p, ring.thread); break;
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
