// block_decoder.cc - block records, runs of them, and single accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/block_decoder.h"

#include <algorithm>
#include <span>

#include "runtime/backend/stream/records.h"
#include "runtime/backend/stream/run_records.h"

namespace memprof::backend {

namespace {

// Whether the access or local E of the record P is where no memory can be.
[[gnu::always_inline]] inline bool beyond_p(const BlockEntry& e, const std::uint64_t* p) {
  return p[e.word] + e.offset >= k_user_end - e.width;
}

// How many executions of a block, and locals born in it, are there.
[[gnu::always_inline]] inline std::uint32_t count_beyond(const CompiledDesc& desc,
                                                         const std::uint64_t* p) {
  std::uint32_t n = 0;
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries))
    n += !e.loop_event() && beyond_p(e, p);
  return n;
}

bool in_memory_p(const BlockSeries& series) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < series.count; i++)
    n += count_beyond(series.desc, series.words + i * series.desc.words);
  return n == 0;
}

}  // namespace

// Items for the executions of a block at TIME. Null, or the column entry whose site needs
// another target or more room; those before it are in their columns. It calls nothing, so that
// all of it lies in registers.
[[gnu::always_inline]] inline const ColumnEntry* BlockDecoder::put_items(
    const CompiledDesc& desc, const std::uint64_t* p, Columns::State* states, std::uint32_t time,
    std::uint32_t epoch) {
  const ColumnEntry* c = desc.column_entries();
  for (const ColumnEntry* const last = c + desc.executions; c < last; c++) {
    const std::uint64_t address = p[c->word] + c->offset;
    Columns::State& s = states[c->site];
    if (address - s.base >= s.size || s.epoch != epoch || s.next == s.end) [[unlikely]] return c;
    Columns::write(s, {address, time + c->time, s.target});
  }
  return nullptr;
}

// Items for the executions of a block at TIME from the column entry C on, whose sites may need
// other targets or more room. Null, or the entry that is odd.
[[gnu::always_inline]] inline const ColumnEntry* BlockDecoder::put_each(
    const CompiledDesc& desc, const std::uint64_t* p, const ColumnEntry* c, std::uint32_t time,
    std::uint32_t epoch) {
  Columns& columns = resolver_.columns();
  for (const ColumnEntry* const last = desc.column_entries() + desc.executions; c < last; c++) {
    const std::uint64_t address = p[c->word] + c->offset;
    Columns::State& s = columns[c->site];
    if ((address - s.base >= s.size || s.epoch != epoch) &&
        !resolver_.goes_with_recent(*c, s, address) && !resolver_.retarget(*c, s, address))
        [[unlikely]]
      return c;
    columns.put(c->site, s, {address, time + c->time, s.target});
  }
  return nullptr;
}

// The descriptor of a block record with HEADER, or null. No descriptor lies where the headers of
// control records are (UnitImage checks it).
[[gnu::always_inline]] inline const CompiledDesc* BlockDecoder::find_block(std::uint64_t header) {
  const CompiledDesc* const desc = units_.find(header);
  if (!desc || desc->block_header != header) return nullptr;
  units_.note_use(*desc);
  return desc;
}

template <BlockDecoder::Items items>
const std::uint64_t* BlockDecoder::blocks(const CompiledDesc* desc, std::uint64_t header,
                                          const std::uint64_t* p, const std::uint64_t* end) {
  BatchWriter::Place place = out_.place();
  const bool ahead = resolver_.looks_ahead();
  const std::uint32_t epoch = resolver_.epoch();
  Columns::State* const states = resolver_.states();
  const std::uint64_t begin = out_.batch().time;
  const std::uint64_t* const first_word = out_.batch().words.data();
  do {
    const std::size_t size = header & MPRT_LENGTH_MASK;
    if (size > static_cast<std::size_t>(end - p)) break;
    if (items == Items::wandering && ahead) resolver_.prefetch(p, size, end);
    // The next record's kind is prefetched: it may be in no cache.
    const std::uint64_t* const after = p + size;
    const std::uint64_t next = after < end ? read_header(after) : 0;
    const CompiledDesc* const follows = next == header ? desc : find_block(next);
    desc->counts->records++;
    const auto time = static_cast<std::uint32_t>(place.time - begin);
    const ColumnEntry* const rest =
        items == Items::wandering ? put_each(*desc, p, desc->column_entries(), time, epoch)
        : items == Items::steady  ? put_items(*desc, p, states, time, epoch)
                                  : nullptr;
    if (rest || ((items == Items::none || desc->locals) && count_beyond(*desc, p) != 0)) [[unlikely]] {
      out_.go_on_from(place);
      if (items == Items::none)
        block_alone(*desc, p);
      else if (!rest)
        whole_block(*desc, p);
      else if (items == Items::wandering)
        odd_block(*desc, p, rest);
      else
        rest_of_block(*desc, p, rest);
      place = out_.place();
    } else {
      *place.event++ =
          BatchWriter::block_event(*desc, static_cast<std::size_t>(place.word - first_word));
      for (unsigned i = 0; i < desc->words; i++) place.word[i] = p[i];
      place.word += desc->words;
      place.time += desc->executions;
    }
    p = after;
    if (place.full()) break;
    __builtin_prefetch(p + k_prefetch_words);
    desc = follows;
    header = next;
  } while (desc);
  out_.go_on_from(place);
  return p;
}

template const std::uint64_t* BlockDecoder::blocks<BlockDecoder::Items::none>(
    const CompiledDesc*, std::uint64_t, const std::uint64_t*, const std::uint64_t*);
template const std::uint64_t* BlockDecoder::blocks<BlockDecoder::Items::steady>(
    const CompiledDesc*, std::uint64_t, const std::uint64_t*, const std::uint64_t*);
template const std::uint64_t* BlockDecoder::blocks<BlockDecoder::Items::wandering>(
    const CompiledDesc*, std::uint64_t, const std::uint64_t*, const std::uint64_t*);

void BlockDecoder::block(const CompiledDesc& desc, const std::uint64_t* p) {
  if (!resolver_.keeps_columns()) {
    block_alone(desc, p);
  } else if (const ColumnEntry* const c = put_items(desc, p, resolver_.states(), out_.batch_time(),
                                                    resolver_.epoch())) {
    rest_of_block(desc, p, c);
  } else {
    whole_block(desc, p);
  }
}

// A block whose executions are in their columns.
void BlockDecoder::whole_block(const CompiledDesc& desc, const std::uint64_t* p) {
  out_.pass_time(desc.executions);
  if (desc.locals && count_beyond(desc, p) != 0) [[unlikely]]
    write_out(desc, p);
  else
    out_.emit_block(desc, p);
}

// A block from the column entry C on.
void BlockDecoder::rest_of_block(const CompiledDesc& desc, const std::uint64_t* p,
                                 const ColumnEntry* c) {
  if (const ColumnEntry* const odd = put_each(desc, p, c, out_.batch_time(), resolver_.epoch())) {
    odd_block(desc, p, odd);
    return;
  }
  whole_block(desc, p);
}

// A block of which the column entry DONE accesses no memory; the entries before it are in their
// columns. Its event is written out.
void BlockDecoder::odd_block(const CompiledDesc& desc, const std::uint64_t* p,
                             const ColumnEntry* done) {
  const std::uint32_t time = out_.batch_time();
  Columns& columns = resolver_.columns();
  for (const ColumnEntry* c = done; c < desc.column_entries() + desc.executions; c++) {
    const std::uint64_t address = p[c->word] + c->offset;
    Columns::State& s = columns[c->site];
    if (resolver_.retarget(*c, s, address))
      columns.put(c->site, s, {address, time + c->time, s.target});
    else
      resolver_.put(c->site, address, c->width, time + c->time);
  }
  out_.pass_time(desc.executions);
  write_out(desc, p);
}

// Where there are no columns.
void BlockDecoder::block_alone(const CompiledDesc& desc, const std::uint64_t* p) {
  out_.pass_time(desc.executions);
  if (count_beyond(desc, p) == 0) [[likely]] {
    out_.emit_block(desc, p);
    return;
  }
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries))
    counts_.beyond += e.execution() && beyond_p(e, p);
  write_out(desc, p);
}

// The events of a block, whose accesses are in their columns if there are any.
void BlockDecoder::write_out(const CompiledDesc& desc, const std::uint64_t* p) {
  if (desc.iteration) out_.emit_loop(EventKind::loop_iteration, desc.loop);
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries)) {
    if (e.loop_event()) {
      out_.emit_loop(e, p);
      continue;
    }
    const bool beyond = beyond_p(e, p);
    if (beyond && !e.execution()) {
      counts_.corrupt++;
      continue;
    }
    out_.emit_wide(e.kind, p[e.word] + e.offset, e.site, beyond ? 0 : e.width);
    if (!beyond) value_of(desc, &e, p);
  }
}

// Says what the access E moved, if the record does.
void BlockDecoder::value_of(const CompiledDesc& desc, const BlockEntry* e,
                            const std::uint64_t* p) {
  for (const ValueEntry& v : std::span(desc.value_entries(), desc.values))
    if (v.entry == e - desc.block_entries())
      out_.emit({p[v.word] + v.offset, {v.site}, v.width, EventKind::value});
}

void BlockDecoder::mixed_block(const CompiledDesc& desc, const std::uint64_t* p) {
  if (desc.iteration) out_.emit_loop(EventKind::loop_iteration, desc.loop);
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries)) {
    if (e.loop_event() || e.function_event()) {
      out_.emit_loop(e, p);
      continue;
    }
    const std::uint64_t address = p[e.word] + e.offset;
    if (e.external_call()) {
      external_call(e, address);
      continue;
    }
    if (e.pointer()) {
      out_.emit({address, {e.site}, static_cast<std::uint32_t>(e.width), EventKind::pointer});
      continue;
    }
    const std::uint64_t width = e.length_word ? p[e.length_word] : e.width;
    const bool execution = e.execution();
    if (width > k_max_width || address >= k_user_end - width) {
      if (width > k_max_width || !execution) counts_.corrupt++;
      if (execution) beyond(e.site, address, e.kind);
    } else if (execution && width) {
      access(e.site, address, width, e.kind);
      value_of(desc, &e, p);
    } else if (execution) {
      nothing(e.site, address, e.kind);
    } else if (width) {
      out_.emit_wide(e.kind, address, k_no_site, width);
    }
  }
}

// A function that is not instrumented may have written the object that it was passed.
void BlockDecoder::external_call(const BlockEntry& e, std::uint64_t address) {
  ExternalCalls& calls = units_.external_calls();
  if (!calls.external_p(e.site)) return;
  if (e.width == MPRT_EXTERNAL_CALL) {
    calls.count(e.site);
    return;
  }
  // Of a stack, all of which is an object, and of large ones, what lies from the pointer on.
  constexpr std::uint64_t k_most = 64 << 10;
  std::uint64_t bytes = e.width;
  const Object* const object = resolver_.objects().find(address);
  if (object && resolver_.groups().kind(object->group) != feedback::GroupKind::stack) {
    const bool whole = object->size() <= k_most;
    bytes = whole ? object->size() : std::min(k_most, object->end() - address);
    if (whole) address = object->base;
  }
  if (bytes != 0 && bytes <= k_max_width && address < k_user_end - bytes)
    out_.emit_wide(EventKind::maybe_written, address, k_no_site, bytes);
}

// The execution stays, what it touches goes, so that modules see user addresses only.
void BlockDecoder::beyond(SiteId site, std::uint64_t address, EventKind kind) {
  counts_.beyond++;
  nothing(site, address, kind);
}

void BlockDecoder::nothing(SiteId site, std::uint64_t address, EventKind kind) {
  if (resolver_.keeps_columns()) resolver_.put_nothing(site, address, out_.batch_time());
  out_.pass_time(1);
  out_.emit({address, {site}, 0, kind});
}

void BlockDecoder::access(SiteId site, std::uint64_t address, std::uint64_t width,
                          EventKind kind) {
  if (address >= k_user_end - width) [[unlikely]] {
    beyond(site, address, kind);
    return;
  }
  if (resolver_.keeps_columns()) resolver_.put_there(site, address, width);
  out_.pass_time(1);
  out_.emit_wide(kind, address, site, width);
}

// A run is written column by column if each of its sites stays with its target, and without items
// if there are no columns.
void BlockDecoder::run(const CompiledDesc& desc, const std::uint64_t* p, std::uint64_t header) {
  RunRecords each(desc, p, header);
  const BlockSeries series{desc, out_.word_room(), each.count()};
  bool at_once = !resolver_.keeps_columns() || !desc.repeated_site;
  if (at_once) {
    each.write(out_.word_room());
    at_once = resolver_.keeps_columns() ? put_columns(series) : in_memory_p(series);
  }
  if (!at_once) {
    for (; each.left(); each.advance()) block(desc, each.words());
    return;
  }
  out_.emit_blocks(series);
  out_.limit_accesses();
  out_.pass_time(series.count * desc.executions);
}

// What the column entry C, whose address moves by a constant, does in RUN is one item.
void BlockDecoder::put_part(const BlockSeries& run, const ColumnEntry& c, Columns::State& s) {
  Batch& batch = out_.batch();
  const Target& target = batch.targets[s.target];
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
  a.range = static_cast<std::uint32_t>(batch.ranges.size());
  a.before = c.time;
  const auto number = static_cast<std::uint32_t>(batch.accesses.size());
  Range range{run.count, out_.time(), run.desc.loop, number, 1, out_.thread()};
  range.per_iteration = run.desc.executions;
  batch.ranges.push_back(range);
  batch.accesses.push_back(a);
  resolver_.put_range_item(number, s, out_.batch_time() + c.time);
}

// Whether all that the column entry C does in RUN goes to the target of its site.
bool BlockDecoder::stays(const BlockSeries& run, const ColumnEntry& c) const {
  const CompiledDesc& desc = run.desc;
  const Columns::State& s = resolver_.columns()[c.site];
  const std::uint64_t base = s.base - c.offset, size = s.size;
  bool out = s.epoch != resolver_.epoch();
  const auto look = [&](std::size_t i) {
    out |= run.words[i * desc.words + c.word] - base >= size;
  };
  if (!desc.moves_by_constant(c.word) || run.count == 1) {
    for (std::size_t i = 0; i < run.count; i++) look(i);
    return !out;
  }
  // Too little to wrap around, if the first two are in an object.
  look(0);
  look(1);
  look(run.count - 1);
  return !out;
}

// No site of RUN is there twice. False: some site does not stay with its object, and nothing was
// written. In sample mode each execution is an item, as bursts look at each.
bool BlockDecoder::put_columns(const BlockSeries& run) {
  const CompiledDesc& desc = run.desc;
  Columns& columns = resolver_.columns();
  const bool parts = run.count >= k_shortest_part && counts_.bursts == 0;
  const std::span entries(desc.column_entries(), desc.executions);
  for (const ColumnEntry& c : entries)
    if (!stays(run, c) &&
        (!resolver_.retarget(c, columns[c.site], run.words[c.word] + c.offset) || !stays(run, c)))
      return false;
  const std::uint32_t begin = out_.batch_time(), step = desc.executions;
  for (const ColumnEntry& c : entries) {
    Columns::State& s = columns[c.site];
    if (parts && desc.moves_by_constant(c.word)) {
      put_part(run, c, s);
      continue;
    }
    // Copies: an item could be what they are read from, as far as the compiler knows.
    columns.put_many(c.site, s, run.count,
                     [word = run.words + c.word, words = desc.words, offset = c.offset,
                      time = begin + c.time, step, target = s.target](std::size_t i) {
      return Item{word[i * words] + offset, time + static_cast<std::uint32_t>(i) * step, target};
    });
  }
  return true;
}

}  // namespace memprof::backend
