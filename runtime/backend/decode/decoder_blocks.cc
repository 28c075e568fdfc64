// decoder_blocks.cc - from records to batches: blocks, runs of them, short ranges.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A block record takes the decoder's hottest path: an item for each of its executions
// (columns.h), an event, its words. Such records mostly follow each other, so one loop takes
// all that do:
//
//     stream   block 7 | block 7 | block 9 | block 7 | range     blocks() takes four
//
// An execution that goes to another object than the last one of its site, or has no room in its
// chunk, ends that path for the rest of its record (rest_of_block). Where nearly all do, as in
// programs that walk over nodes, the loop expects it (Items::wandering). Convoys that part and
// addresses where no memory is have a path of their own (odd_block). Where no module reads columns,
// there are no items (Items::none).
//
// Runs are written column by column if each site stays with its object; otherwise they and
// short ranges are written out as blocks.
#include <algorithm>
#include <span>

#include "runtime/backend/decode/decoder.h"
#include "runtime/backend/stream/records.h"
#include "runtime/backend/stream/sum_words.h"

namespace memprof::backend {

namespace {

// How far ahead of the decoder objects are asked for: their places, and they themselves.
constexpr std::size_t k_place_words = 64, k_object_words = 32;

}  // namespace

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
  emit(block_event(desc, filled_words()));
  for (unsigned i = 0; i < desc.words; i++) next_word_[i] = p[i];
  next_word_ += desc.words;
}

// Items for the executions of a block at TIME. Null, or the column entry whose site needs
// another target or more room; those before it are in their columns. It calls nothing, so that
// all of it lies in registers.
[[gnu::always_inline]] inline const ColumnEntry* Decoder::put_items(const CompiledDesc& desc,
                                                                    const std::uint64_t* p,
                                                                    std::uint32_t time,
                                                                    std::uint32_t epoch) {
  const ColumnEntry* c = desc.column_entries();
  Columns::State* const states = &columns_[k_no_site];
  for (const ColumnEntry* const last = c + desc.columns; c < last; c++) {
    const std::uint64_t address = p[c->word] + c->offset;
    Columns::State& s = states[c->site];
    if (address - s.base >= s.size || s.epoch != epoch || s.next == s.end) [[unlikely]] return c;
    Columns::write(s, {address, time + c->time, s.target});
  }
  return nullptr;
}

void Decoder::block(const CompiledDesc& desc, const std::uint64_t* p) {
  if (!keeps_columns_) {
    block_alone(desc, p);
  } else if (const ColumnEntry* const c = put_items(desc, p, batch_time(), epoch_)) {
    rest_of_block(desc, p, c);
  } else {
    time_ += desc.executions;
    emit_block(desc, p);
  }
}

// What the decoder has in registers, as batch, time and the rest of it could alias as far as the
// compiler knows. A batch of blocks is full of events and words long before its time is over.
struct Decoder::Place {
  explicit Place(const Decoder& d)
      : event(d.next_), event_limit(d.event_limit_), word(d.next_word_),
        word_limit(d.word_limit_), time(d.time_) {}
  void put_back(Decoder& d) const {
    d.next_ = event;
    d.next_word_ = word;
    d.time_ = time;
  }
  bool full() const { return event >= event_limit || word >= word_limit; }

  Event* event;
  const Event* event_limit;
  std::uint64_t* word;
  const std::uint64_t* word_limit;
  std::uint64_t time;
};

// The descriptor of a block record with HEADER, or null. No descriptor lies where the headers of
// control records are (UnitImage checks it).
[[gnu::always_inline]] inline const CompiledDesc* Decoder::find_block(std::uint64_t header) {
  const CompiledDesc* const desc = units_.find(header);
  if (!desc || desc->block_header != header) return nullptr;
  units_.note_use(*desc);
  return desc;
}

// Whether the execution of ENTRY, which is no convoy's, goes to the object that was looked up last.
[[gnu::always_inline]] inline bool Decoder::goes_with_recent(const ColumnEntry& entry,
                                                             Columns::State& s,
                                                             std::uint64_t address) {
  if (address - recent_.base >= recent_.size || recent_.width != entry.width ||
      entry.convoy != 0)
    return false;
  retargets_++;
  columns_.begin(entry.site, s);
  if (s.group != recent_.group) [[unlikely]] credit(s);
  const bool again = columns_.share_target(s, recent_.group, recent_.target);
  keep_none(s, *recent_.object, again);
  return true;
}

// Items for the executions of a block at TIME from the column entry C on, whose sites may need
// other targets or more room. Null, or the entry that is odd.
[[gnu::always_inline]] inline const ColumnEntry* Decoder::put_each(const CompiledDesc& desc,
                                                                   const std::uint64_t* p,
                                                                   const ColumnEntry* c,
                                                                   std::uint32_t time,
                                                                   std::uint32_t epoch) {
  for (const ColumnEntry* const last = desc.column_entries() + desc.columns; c < last; c++) {
    const std::uint64_t address = p[c->word] + c->offset;
    Columns::State& s = columns_[c->site];
    if ((address - s.base >= s.size || s.epoch != epoch) && !goes_with_recent(*c, s, address) &&
        !retarget(*c, s, address)) [[unlikely]]
      return c;
    columns_.put(c->site, s, {address, time + c->time, s.target});
  }
  return nullptr;
}

// How many executions of a block go where no memory can be.
[[gnu::always_inline]] inline std::uint32_t Decoder::beyond(const CompiledDesc& desc,
                                                            const std::uint64_t* p) {
  std::uint32_t n = 0;
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries))
    n += e.execution() && p[e.word] + e.offset >= k_user_end - e.width;
  return n;
}

template <Decoder::Items items>
const std::uint64_t* Decoder::blocks(const CompiledDesc* desc, std::uint64_t header,
                                     const std::uint64_t* p, const std::uint64_t* end) {
  SumWords sums;
  Place place(*this);
  const bool ahead = looks_ahead_;
  const std::uint32_t epoch = epoch_;
  const std::uint64_t begin = batch_->time;
  const std::uint64_t* const first_word = batch_->words.data();
  do {
    const std::size_t size = header & MPRT_LENGTH_MASK;
    if (size > static_cast<std::size_t>(end - p)) break;
    if (items == Items::wandering && ahead) prefetch_objects(p, size, end);
    // What the next record is, is asked for early: it may be in no cache.
    const std::uint64_t* const after = p + size;
    const std::uint64_t next = after < end ? read_header(after) : 0;
    const CompiledDesc* const follows = next == header ? desc : find_block(next);
    desc->counts->records++;
    const std::uint64_t* const words = sums.of(*desc, p, header);
    const auto time = static_cast<std::uint32_t>(place.time - begin);
    const ColumnEntry* const rest =
        items == Items::wandering ? put_each(*desc, words, desc->column_entries(), time, epoch)
        : items == Items::steady  ? put_items(*desc, words, time, epoch)
                                  : nullptr;
    if (rest || (items == Items::none && beyond(*desc, words) != 0)) [[unlikely]] {
      place.put_back(*this);
      if (items == Items::wandering)
        odd_block(*desc, words, rest);
      else if (items == Items::steady)
        rest_of_block(*desc, words, rest);
      else
        block_alone(*desc, words);
      place = Place(*this);
    } else {
      *place.event++ = block_event(*desc, static_cast<std::size_t>(place.word - first_word));
      for (unsigned i = 0; i < desc->words; i++) place.word[i] = words[i];
      place.word += desc->words;
      place.time += desc->executions;
    }
    p = after;
    if (place.full()) break;
    __builtin_prefetch(p + k_prefetch_words);
    desc = follows;
    header = next;
  } while (desc);
  place.put_back(*this);
  return p;
}

template const std::uint64_t* Decoder::blocks<Decoder::Items::none>(
    const CompiledDesc*, std::uint64_t, const std::uint64_t*, const std::uint64_t*);
template const std::uint64_t* Decoder::blocks<Decoder::Items::steady>(
    const CompiledDesc*, std::uint64_t, const std::uint64_t*, const std::uint64_t*);
template const std::uint64_t* Decoder::blocks<Decoder::Items::wandering>(
    const CompiledDesc*, std::uint64_t, const std::uint64_t*, const std::uint64_t*);

// A block from the column entry C on.
void Decoder::rest_of_block(const CompiledDesc& desc, const std::uint64_t* p,
                            const ColumnEntry* c) {
  if (const ColumnEntry* const odd = put_each(desc, p, c, batch_time(), epoch_)) {
    odd_block(desc, p, odd);
    return;
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
      for (const Convoy::Member& m : units_.convoys()[c.convoy].members)
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
  time_ += desc.executions;
  const std::uint32_t none = beyond(desc, p);
  if (none == 0) [[likely]] {
    emit_block(desc, p);
    return;
  }
  counts_.corrupt += none;
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

// A range of few iterations, or of one or none whatever its entries are: loops that
// compare strings often end so.
void Decoder::short_range(const CompiledDesc& desc, const std::uint64_t* p) {
  const std::uint64_t count = p[1];
  desc.counts->iterations += count;
  desc.counts->nonempty += count > 0;
  loop_event(EventKind::loop_enter, desc.loop);
  if (const IterationBlocks* blocks = units_.iteration_blocks(desc)) {
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

void Decoder::emit_blocks(const BlockSeries& series) {
  while (static_cast<std::size_t>(room_end_ - next_) < series.count) grow();
  const std::size_t first = filled_words(), words = series.desc.words;
  for (std::size_t i = 0; i < series.count; i++)
    next_[i] = block_event(series.desc, first + i * words);
  next_ += series.count;
  next_word_ += series.count * words;
}

// A run is written column by column if each of its sites stays with its target, and without items
// if there are no columns.
void Decoder::run(const CompiledDesc& desc, const std::uint64_t* p, std::uint64_t header) {
  RunRecords each(desc, p, header);
  const BlockSeries series{desc, next_word_, each.count()};
  bool at_once = !keeps_columns_ || !desc.repeated_site;
  if (at_once) {
    each.write(next_word_);
    at_once = keeps_columns_ ? put_columns(series) : in_memory_p(series);
  }
  if (!at_once) {
    for (; each.left(); each.advance()) block(desc, each.words());
    return;
  }
  emit_blocks(series);
  limit_accesses();
  time_ += series.count * desc.executions;
}

bool Decoder::in_memory_p(const BlockSeries& series) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < series.count; i++)
    n += beyond(series.desc, series.words + i * series.desc.words);
  return n == 0;
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
  a.object_bytes = target.object_bytes;
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
      const auto look = [&](std::size_t i) {
        out |= run.words[i * desc.words + c.word] - base >= size;
      };
      if (!desc.moves_by_constant(c.word) || run.count == 1) {
        for (std::size_t i = 0; i < run.count; i++) look(i);
        return out;
      }
      // Too little to wrap around, if the first two are in an object.
      look(0);
      look(1);
      look(run.count - 1);
      return out;
    };
    if (elsewhere() && (!retarget(c, s, run.words[c.word] + c.offset) || elsewhere()))
      return false;
  }
  const std::uint32_t begin = batch_time(), step = desc.executions;
  for (const ColumnEntry& c : columns) {
    Columns::State& s = columns_[c.site];
    if (parts && desc.moves_by_constant(c.word) && c.convoy == 0) {
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

}  // namespace memprof::backend
