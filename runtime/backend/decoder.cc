// decoder.cc - from records to batches of object-relative events: accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Control records (objects, modules, threads) are in decoder_control.cc, the objects of
// accesses in decoder_targets.cc.
#include "runtime/backend/decoder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "feedback/row_keys.h"
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
  emit({reinterpret_cast<std::uint64_t>(&desc),
        {static_cast<std::uint32_t>(filled_words())}, 0, EventKind::block});
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

// Whether all executions of ACCESS lie in one object, or in none; its object.
Decoder::Fit Decoder::range_object(RangeAccess& access) {
  if (access.count == 0 || access.width == 0) return Fit::whole;
  const __int128 first = access.address;
  const __int128 last =
      first + static_cast<__int128>(access.step) * (access.count - 1);
  const __int128 low = std::min(first, last);
  const __int128 high = std::max(first, last) + access.width;
  if (low < 0 || high > k_user_end || access.width > k_max_width)
    return Fit::nonsense;
  const auto begin = static_cast<std::uint64_t>(low);
  const auto end = static_cast<std::uint64_t>(high);
  if (access.width >= k_long_width) return Fit::parts;
  const Object* object = objects_.find(begin);
  if (!object)
    return objects_.nothing_in(begin, end) ? Fit::whole : Fit::parts;
  if (end > object->end()) return Fit::parts;
  access.base = object->base;
  access.group = object->group;
  access.object = object->serial;
  return Fit::whole;
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

void Decoder::run(const CompiledDesc& desc, const std::uint64_t* p, std::uint64_t header) {
  for (RunRecords each(desc, p, header); each.left(); each.advance()) block(desc, each.words());
}

// The only iteration of a range that may have lengths or touch nothing.
void Decoder::one_iteration(const CompiledDesc& desc, const std::uint64_t* p) {
  loop_event(EventKind::loop_iteration, desc.loop);
  const RangeEntry* e = desc.range_entries();
  for (const RangeEntry* const last = e + desc.entries; e < last; e++) {
    if (e->minus) continue;
    const std::uint64_t address = e->address(p);
    const std::uint64_t width = e->length_word ? p[e->length_word] : e->width;
    const EventKind kind = e->store ? EventKind::store : EventKind::load;
    if (width > k_max_width)
      beyond(e->site, address, kind);
    else if (width)
      access(e->site, address, width, kind);
    else
      nothing(e->site, address, kind);
  }
}

// Whether the index of ACCESS, which stands for ENTRY, wraps around.
bool Decoder::wraps_p(const RangeEntry& entry, const RangeAccess& access,
                      const std::uint64_t* p) {
  if (!entry.modulus || access.count == 0) return false;
  const __int128 first = entry.index(p);
  const __int128 last = first + static_cast<__int128>(access.step) * (access.count - 1);
  return std::min(first, last) < 0 || std::max(first, last) >= entry.modulus;
}

RangeAccess Decoder::range_access(const RangeEntry& e, const std::uint64_t* p) {
  RangeAccess access{};
  access.address = e.address(p);
  access.step = e.step_word ? static_cast<std::int64_t>(p[e.step_word]) : e.step;
  access.count = p[1] > e.minus ? p[1] - e.minus : 0;
  access.width = e.length_word ? p[e.length_word] : e.width;
  access.site = e.site;
  access.store = e.store;
  return access;
}

// A range record P that no burst has, which stands for TIMES such ones. What does not lie
// in one object tells nothing.
void Decoder::witness(std::uint64_t times, const std::uint64_t* p, std::size_t words) {
  const CompiledDesc* desc = words != 0 ? modules_.find(p[0]) : nullptr;
  constexpr std::uint64_t k_max_times = 1 << 15;
  if (!desc || times > k_max_times || desc->kind != CompiledKind::range ||
      (p[0] & MPRT_LENGTH_MASK) != words) {
    counts_.corrupt++;
    return;
  }
  for (const RangeEntry& e : std::span(desc->range_entries(), desc->entries)) {
    if (!e.store || p[1] > k_max_count) continue;
    RangeAccess access = range_access(e, p);
    if (access.count == 0 || access.width == 0 || wraps_p(e, access, p) ||
        range_object(access) != Fit::whole)
      continue;
    batch_->witnesses.emplace_back(access, times);
    feedback::add_count(witnessed_[access.site], times * access.count);
  }
  // A batch without events would be none.
  loop_event(EventKind::thread, thread_);
}

void Decoder::range(const CompiledDesc& desc, const std::uint64_t* p,
                    std::uint32_t thread) {
  const std::uint64_t count = p[1];
  if (count <= (desc.iteration_blocks ? IterationBlocks::k_max_iterations : 1)) {
    short_range(desc, p);
    return;
  }
  const auto first = static_cast<std::uint32_t>(batch_->accesses.size());
  Fit fit = count > k_max_count ? Fit::nonsense : Fit::whole;
  const RangeEntry* entries = desc.range_entries();
  for (unsigned i = 0; i < desc.entries && fit != Fit::nonsense; i++) {
    const RangeEntry& e = entries[i];
    RangeAccess access = range_access(e, p);
    const Fit own = wraps_p(e, access, p) ? Fit::parts : range_object(access);
    if (own != Fit::whole) fit = own;
    batch_->accesses.push_back(access);
  }
  if (fit == Fit::whole && desc.repeated_site) fit = Fit::parts;
  if (fit == Fit::parts && count > k_max_expanded) fit = Fit::nonsense;
  if (fit == Fit::nonsense) {
    batch_->accesses.resize(first);
    desc.counts->records--;
    counts_.corrupt++;
    return;
  }
  desc.counts->iterations += count;
  desc.counts->nonempty += count > 0;
  if (fit == Fit::parts) {
    start_expansion(first, count, desc, p, thread);
    return;
  }
  const auto index = static_cast<std::uint32_t>(batch_->ranges.size());
  batch_->ranges.push_back(
      {count, time_, desc.loop, first, desc.entries, thread});
  loop_event(EventKind::range, index);
  for (unsigned i = 0; i < desc.entries; i++) {
    batch_->accesses[first + i].range = index;
    range_item(first + i);
  }
  if (batch_->accesses.size() >= k_batch_events) event_limit_ = next_;
}

// Begins to write out the nest record P.
void Decoder::nest(const CompiledDesc& desc, const std::uint64_t* p) {
  const std::uint64_t count = p[1];
  std::uint64_t most = k_max_expanded;  // of all open nests together
  for (const NestRecords& n : nests_) most /= n.left();
  if (!NestRecords::whole_p(desc, p) || nests_.size() == k_max_nests || count > most) {
    desc.counts->records--;
    counts_.corrupt++;
    return;
  }
  desc.counts->iterations += count;
  if (desc.loop != 0) loop_event(EventKind::loop_enter, desc.loop);
  nests_.emplace_back(desc, p);
}

// The next iteration of the innermost open nest, or its end.
void Decoder::next_of_nest() {
  set_thread(nest_thread_);
  NestRecords& nest = nests_.back();
  const LoopId loop = nest.desc().loop;
  if (nest.left() == 0) {
    if (loop != 0) loop_event(EventKind::loop_exit, loop);
    nests_.pop_back();
    return;
  }
  const std::uint64_t* const p = nest.words();
  if (p[0] == 0) {
    if (loop != 0) loop_event(EventKind::loop_iteration, loop);
    nest.advance();
    return;
  }
  const CompiledDesc* const inner = modules_.find(p[0]);
  const bool range_p = inner && inner->kind == CompiledKind::range;
  if (!inner || (!range_p && inner->kind != CompiledKind::nest) ||
      inner->words != (p[0] & MPRT_LENGTH_MASK)) {
    counts_.corrupt++;
    nest.end();
    return;
  }
  if (loop != 0) loop_event(EventKind::loop_iteration, loop);
  modules_.note_use(*inner);
  inner->counts->records++;
  if (range_p)
    range(*inner, p, nest_thread_);
  else
    this->nest(*inner, p);
  nest.advance();
}

// The RangeAccess NUMBER goes into the column of its site.
void Decoder::range_item(std::uint32_t number) {
  const RangeAccess& access = batch_->accesses[number];
  if (access.count == 0) return;
  if (keeps_columns_) {
    Columns::State& s = columns_[access.site];
    groups_[access.group].accesses += access.count * (1 + s.companions);
    columns_.begin(access.site, s);
    columns_.put_range(access.site, s, {access.address, batch_time(), k_range_item | number});
    s.credited++;
  }
  time_ += access.count;
}

// Accesses that were counted: each as a range of one access that stays where it is.
void Decoder::tally(const CompiledDesc& desc, const std::uint64_t* p) {
  // A batch without events would be none.
  loop_event(EventKind::thread, thread_);
  const BlockEntry* e = desc.block_entries();
  for (const BlockEntry* const last = e + desc.entries; e < last; e++) {
    RangeAccess access{};
    access.address = p[e->word] + e->offset;
    access.count = p[e->length_word];
    access.width = e->width;
    access.site = e->site;
    access.store = e->kind == EventKind::store;
    if (access.count == 0) continue;
    if (access.count > k_max_count || access.address >= k_user_end - access.width) {
      counts_.corrupt++;
      continue;
    }
    if (const Object* object = objects_.find(access.address)) {
      access.base = object->base;
      access.group = object->group;
      access.object = object->serial;
    }
    access.range = static_cast<std::uint32_t>(batch_->ranges.size());
    const auto number = static_cast<std::uint32_t>(batch_->accesses.size());
    batch_->ranges.push_back({access.count, time_, 0, number, 1, thread_});
    batch_->accesses.push_back(access);
    modules_.add_executions(access.site, access.count);
    range_item(number);
  }
  if (batch_->accesses.size() >= k_batch_events) event_limit_ = next_;
}

// The range of the record P, whose accesses are the last ones of the batch, from
// FIRST on.
void Decoder::start_expansion(std::size_t first, std::uint64_t count,
                              const CompiledDesc& desc, const std::uint64_t* p,
                              std::uint32_t thread) {
  set_thread(thread);
  loop_event(EventKind::loop_enter, desc.loop);
  const auto begin = batch_->accesses.begin() + static_cast<std::ptrdiff_t>(first);
  expansion_.accesses.assign(begin, batch_->accesses.end());
  batch_->accesses.resize(first);
  expansion_.wraps.clear();
  for (unsigned i = 0; i < desc.entries; i++) {
    const RangeEntry& e = desc.range_entries()[i];
    expansion_.wraps.push_back({e.index(p), e.modulus});
  }
  expansion_.k = 0;
  expansion_.count = count;
  expansion_.left = count + 1;
  expansion_.loop = desc.loop;
  expansion_.thread = thread;
}

void Decoder::open(Batch& batch) {
  batch_ = &batch;
  const std::size_t filled = batch.events.size();
  if (filled == 0) batch.time = time_;
  columns_.open(batch);
  new_epoch();
  // Room for everything that a site record can stand for.
  batch.events.resize(std::max(filled, k_batch_events) + k_overshoot);
  next_ = batch.events.data() + filled;
  room_end_ = batch.events.data() + batch.events.size();
  event_limit_ = batch.events.data() + k_batch_events;
  const std::size_t words = batch.words.size();
  batch.words.resize(std::max(words, k_batch_words) + k_word_overshoot);
  next_word_ = batch.words.data() + words;
  word_limit_ = batch.words.data() + k_batch_words;
  time_limit_ = batch.time + k_batch_time;
  if (batch.accesses.size() >= k_batch_events) event_limit_ = next_;
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
  event_limit_ = batch_->events.data() + k_batch_events;
}

bool Decoder::finish_expansion(Batch& batch) {
  const auto done = [this] { return !expansion_.left && nests_.empty(); };
  if (done()) return true;
  const Filling filling(*this, batch);
  while (!done() && !full()) {
    if (expansion_.left)
      expand();
    else
      next_of_nest();
  }
  return done();
}

// Writes out iterations until the batch is full or the loop is left.
void Decoder::expand() {
  Expansion& x = expansion_;
  set_thread(x.thread);
  while (filled() < k_batch_events && x.left) {
    x.left--;
    if (x.left == 0) {
      loop_event(EventKind::loop_exit, x.loop);
      return;
    }
    loop_event(EventKind::loop_iteration, x.loop);
    for (std::size_t i = 0; i < x.accesses.size(); i++) {
      const RangeAccess& a = x.accesses[i];
      if (x.k >= a.count) continue;
      std::uint64_t advance = x.k * static_cast<std::uint64_t>(a.step);
      if (const Wrap& wrap = x.wraps[i]; wrap.modulus) {
        const auto modulus = static_cast<__int128>(wrap.modulus);
        const __int128 index = (wrap.index + static_cast<__int128>(a.step) * x.k) % modulus;
        advance = static_cast<std::uint64_t>(index < 0 ? index + modulus : index) - wrap.index;
      }
      const std::uint64_t address = a.address + advance;
      const EventKind kind = a.store ? EventKind::store : EventKind::load;
      if (a.width) {
        access(a.site, address, a.width, kind);
      } else {
        nothing(a.site, address, kind);
      }
    }
    x.k++;
  }
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
