// decoder_ranges.cc - from records to batches: ranges, and nests of them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A range stays one event if each of its accesses lies in one object, or all of it in
// none. Otherwise it is written out, iteration by iteration. A nest of ranges of one shape
// is one event of several rows (decoder_rows.cc); any other is written out, range by range.
// Both go on in the next batch when one is full.
#include <algorithm>
#include <span>

#include "feedback/row_keys.h"
#include "runtime/backend/decode/decoder.h"

namespace memprof::backend {

// Whether all executions of ACCESS lie in one object, or in none; its object.
Decoder::Fit Decoder::range_object(RangeAccess& access) {
  if (access.count == 0 || access.width == 0) return Fit::whole;
  const auto [low, high] = access.extent();
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
  access.object_bytes = object->short_size();
  return Fit::whole;
}

// Sets the object if there is one, however wide a single ACCESS is.
bool Decoder::in_one_object(RangeAccess& access) {
  constexpr std::uint64_t k_word = 8;
  RangeAccess narrow = access.count == 1 && access.width >= k_long_width
                           ? access.in_words(k_word)
                           : access;
  if (range_object(narrow) != Fit::whole) return false;
  access.base = narrow.base;
  access.group = narrow.group;
  access.object = narrow.object;
  access.object_bytes = narrow.object_bytes;
  return true;
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

// Whether the index of ACCESS, which stands for ENTRY and begins with FIRST, wraps around.
bool Decoder::wraps_p(const RangeEntry& entry, const RangeAccess& access, __int128 first) {
  if (!entry.modulus || access.count == 0) return false;
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

// What an entry of a block does to memory; site: k_no_site if that is external.
RangeAccess Decoder::block_access(const BlockEntry& e, const std::uint64_t* p) {
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

// What no burst has, which stands for TIMES such ones, or for none if it is told of only
// because it is one of the first. Of what WRAPS or does not lie in one object only executions
// are known.
void Decoder::witness_access(RangeAccess access, std::uint64_t times, bool wraps) {
  if (access.count == 0 || access.width == 0) return;
  if (access.site != k_no_site) witnessed_[access.site].add(times, access.count);
  if (!wraps && in_one_object(access))
    batch_->witnesses.push_back({access, times, counts_.places()});
}

// The record P is of a loop or of a call.
void Decoder::witness(std::uint64_t times, const std::uint64_t* p, std::size_t words) {
  const CompiledDesc* desc = words != 0 ? units_.find(p[0]) : nullptr;
  constexpr std::uint64_t k_max_times = std::uint64_t{1} << 32;
  const bool loop = desc && desc->kind == CompiledKind::range;
  const bool call = desc && (desc->kind == CompiledKind::block ||
                             desc->kind == CompiledKind::mixed);
  if (!(loop || call) || times > k_max_times || desc->words != words ||
      (p[0] & MPRT_LENGTH_MASK) != words) {
    counts_.corrupt++;
    return;
  }
  for (const RangeEntry& e : std::span(desc->range_entries(), loop ? desc->entries : 0u)) {
    if (p[1] > k_max_count) continue;
    const RangeAccess access = range_access(e, p);
    witness_access(access, times, wraps_p(e, access, e.index(p)));
  }
  for (const BlockEntry& e : std::span(desc->block_entries(), call ? desc->entries : 0u))
    witness_access(block_access(e, p), times, false);
  // A batch without events would be none.
  loop_event(EventKind::thread, thread_);
}

// A record of an early burst: only what it stores counts.
void Decoder::early_record(const CompiledDesc& desc, const std::uint64_t* p,
                           std::uint64_t header, std::uint64_t one_in) {
  const auto block = [&](const std::uint64_t* words) {
    for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries)) {
      if (e.execution()) witnessed_[e.site].add(0, one_in);
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
      // What tells outside of bursts does so of all that is outside.
      if (units_.tells_p(e.site))
        witnessed_[e.site].add(1, a.count);
      else
        witnessed_[e.site].add(0, a.count * one_in);
      if (!e.store || wraps_p(e, a, e.index(p))) continue;
      if (a.count > k_max_early) {
        if (in_one_object(a)) batch_->witnesses.push_back({a, 1, counts_.places()});
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

void Decoder::early_store(RangeAccess access, std::uint64_t one_in) {
  if (access.width != 0 && in_one_object(access))
    batch_->early.push_back({access, one_in, counts_.places()});
}

void Decoder::range(const CompiledDesc& desc, const std::uint64_t* p) {
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
    const Fit own = wraps_p(e, access, e.index(p)) ? Fit::parts : range_object(access);
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
    start_expansion(first, count, desc, p);
    return;
  }
  emit_range({count, time_, desc.loop, first, desc.entries, thread_});
}

// Of the last accesses of the batch.
void Decoder::emit_range(const Range& range) {
  const auto index = static_cast<std::uint32_t>(batch_->ranges.size());
  batch_->ranges.push_back(range);
  loop_event(EventKind::range, index);
  for (std::uint32_t i = range.first; i < range.first + range.size; i++) {
    batch_->accesses[i].range = index;
    range_item(i);
  }
  limit_accesses();
}

// Of a record in a nest that begins with HEADER; null: that is none.
const CompiledDesc* Decoder::inner_desc(std::uint64_t header) {
  const CompiledDesc* const desc = header != 0 ? units_.find(header) : nullptr;
  const bool fits =
      desc && (desc->kind == CompiledKind::range || desc->kind == CompiledKind::nest) &&
      desc->words == (header & MPRT_LENGTH_MASK);
  return fits ? desc : nullptr;
}

// Begins to write out the nest record P.
void Decoder::nest(const CompiledDesc& desc, const std::uint64_t* p) {
  const std::uint64_t count = p[1];
  std::uint64_t most = k_max_expanded;  // of all open nests together
  // One whose last iteration this is has none left.
  for (const NestRecords& n : nests_) most /= std::max<std::uint64_t>(n.left(), 1);
  if (!NestRecords::whole_p(desc, p) || nests_.size() == k_max_nests || count > most) {
    desc.counts->records--;
    counts_.corrupt++;
    return;
  }
  desc.counts->iterations += count;
  if (rows(desc, p)) return;
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
  const CompiledDesc* const inner = inner_desc(p[0]);
  if (!inner) {
    counts_.corrupt++;
    nest.end();
    return;
  }
  if (loop != 0) loop_event(EventKind::loop_iteration, loop);
  units_.note_use(*inner);
  inner->counts->records++;
  if (inner->kind == CompiledKind::range)
    range(*inner, p);
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
    columns_.begin(access.site, s);
    put_range_item(number, s, batch_time());
  }
  time_ += access.executions();
}

// The site has a column.
void Decoder::put_range_item(std::uint32_t number, Columns::State& s, std::uint32_t time) {
  const RangeAccess& access = batch_->accesses[number];
  groups_[access.group].accesses += access.executions() * (1 + s.companions);
  columns_.put_range(access.site, s, {access.address, time, k_range_item | number});
  s.credited++;
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
      access.object_bytes = object->short_size();
    }
    access.range = static_cast<std::uint32_t>(batch_->ranges.size());
    const auto number = static_cast<std::uint32_t>(batch_->accesses.size());
    batch_->ranges.push_back({access.count, time_, 0, number, 1, thread_});
    batch_->accesses.push_back(access);
    units_.add_executions(access.site, access.count);
    range_item(number);
  }
  limit_accesses();
}

// The range of the record P, whose accesses are the last ones of the batch, from
// FIRST on.
void Decoder::start_expansion(std::size_t first, std::uint64_t count,
                              const CompiledDesc& desc, const std::uint64_t* p) {
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
  expansion_.thread = thread_;
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
  while (filled() < batch_events_ && x.left) {
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

}  // namespace memprof::backend
