// range_expander.cc - range records, and nests of them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/range_expander.h"

#include <algorithm>
#include <span>

namespace memprof::backend {

using Fit = ObjectResolver::Fit;

void RangeExpander::range(const CompiledDesc& desc, const std::uint64_t* p) {
  const std::uint64_t count = p[1];
  if (count <= (desc.iteration_blocks ? IterationBlocks::k_max_iterations : 1)) {
    short_range(desc, p);
    return;
  }
  Batch& batch = out_.batch();
  const auto first = static_cast<std::uint32_t>(batch.accesses.size());
  Fit fit = count > k_max_count ? Fit::nonsense : Fit::whole;
  const RangeEntry* entries = desc.range_entries();
  for (unsigned i = 0; i < desc.entries && fit != Fit::nonsense; i++) {
    const RangeEntry& e = entries[i];
    RangeAccess access = range_access(e, p);
    const Fit own =
        wraps_p(e, access, e.index(p)) ? Fit::parts : resolver_.find_object(access);
    if (own != Fit::whole) fit = own;
    batch.accesses.push_back(access);
  }
  if (fit == Fit::whole && desc.repeated_site) fit = Fit::parts;
  if (fit == Fit::parts && count > k_max_expanded) fit = Fit::nonsense;
  if (fit == Fit::nonsense) {
    batch.accesses.resize(first);
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
  writer_.emit({count, out_.time(), desc.loop, first, desc.entries, out_.thread()});
}

// A range of few iterations, or of one or none whatever its entries are: loops that
// compare strings often end so.
void RangeExpander::short_range(const CompiledDesc& desc, const std::uint64_t* p) {
  const std::uint64_t count = p[1];
  desc.counts->iterations += count;
  desc.counts->nonempty += count > 0;
  out_.emit_loop(EventKind::loop_enter, desc.loop);
  if (const IterationBlocks* blocks = units_.iteration_blocks(desc)) {
    std::uint64_t words[MPRT_MAX_RECORD_WORDS];
    for (std::uint64_t k = 0; k < count; k++) {
      blocks->words(p, k, words);
      blocks_.block(blocks->block(k, count), words);
    }
  } else if (count != 0) {
    one_iteration(desc, p);
  }
  out_.emit_loop(EventKind::loop_exit, desc.loop);
}

// The only iteration of a range that may have lengths or touch nothing.
void RangeExpander::one_iteration(const CompiledDesc& desc, const std::uint64_t* p) {
  out_.emit_loop(EventKind::loop_iteration, desc.loop);
  const RangeEntry* e = desc.range_entries();
  for (const RangeEntry* const last = e + desc.entries; e < last; e++) {
    if (e->minus) continue;
    const std::uint64_t address = e->address(p);
    const std::uint64_t width = e->length_word ? p[e->length_word] : e->width;
    const EventKind kind = e->store ? EventKind::store : EventKind::load;
    if (width > k_max_width) {
      counts_.corrupt++;
      blocks_.beyond(e->site, address, kind);
    } else if (width)
      blocks_.access(e->site, address, width, kind);
    else
      blocks_.nothing(e->site, address, kind);
  }
}

// Begins to write out the nest record P.
void RangeExpander::begin_nest(const CompiledDesc& desc, const std::uint64_t* p) {
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
  if (writer_.nest(desc, p)) return;
  if (desc.loop != 0) out_.emit_loop(EventKind::loop_enter, desc.loop);
  nests_.emplace_back(desc, p);
}

// The next iteration of the innermost open nest, or its end.
void RangeExpander::next_of_nest() {
  resolver_.set_thread(nest_thread_);
  NestRecords& nest = nests_.back();
  const LoopId loop = nest.desc().loop;
  if (nest.left() == 0) {
    if (loop != 0) out_.emit_loop(EventKind::loop_exit, loop);
    nests_.pop_back();
    return;
  }
  const std::uint64_t* const p = nest.words();
  if (p[0] == 0) {
    if (loop != 0) out_.emit_loop(EventKind::loop_iteration, loop);
    nest.advance();
    return;
  }
  const CompiledDesc* const inner = writer_.inner_desc(p[0]);
  if (!inner) {
    counts_.corrupt++;
    nest.end();
    return;
  }
  if (loop != 0) out_.emit_loop(EventKind::loop_iteration, loop);
  units_.note_use(*inner);
  inner->counts->records++;
  if (inner->kind == CompiledKind::range)
    range(*inner, p);
  else
    begin_nest(*inner, p);
  nest.advance();
}

void RangeExpander::tally(const CompiledDesc& desc, const std::uint64_t* p) {
  Batch& batch = out_.batch();
  out_.mark();
  const BlockEntry* e = desc.block_entries();
  for (const BlockEntry* const last = e + desc.entries; e < last; e++) {
    RangeAccess access{};
    access.address = p[e->word] + e->offset;
    access.count = p[e->length_word];
    access.width = e->width;
    access.site = e->site;
    access.store = e->kind == EventKind::store;
    if (access.count == 0) continue;
    if (access.count > k_max_count) {
      counts_.corrupt++;
      continue;
    }
    if (access.address >= k_user_end - access.width) {
      counts_.beyond += access.count;
      access.address = access.width = 0;
    } else if (const Object* object = resolver_.objects().find(access.address)) {
      ObjectResolver::set_object(access, *object);
    }
    access.range = static_cast<std::uint32_t>(batch.ranges.size());
    const auto number = static_cast<std::uint32_t>(batch.accesses.size());
    batch.ranges.push_back({access.count, out_.time(), 0, number, 1, out_.thread()});
    batch.accesses.push_back(access);
    units_.add_executions(access.site, access.count);
    resolver_.put_range(number);
  }
  out_.limit_accesses();
}

// The range of the record P, whose accesses are the last ones of the batch, from
// FIRST on.
void RangeExpander::start_expansion(std::size_t first, std::uint64_t count,
                                    const CompiledDesc& desc, const std::uint64_t* p) {
  Batch& batch = out_.batch();
  out_.emit_loop(EventKind::loop_enter, desc.loop);
  const auto begin = batch.accesses.begin() + static_cast<std::ptrdiff_t>(first);
  expansion_.accesses.assign(begin, batch.accesses.end());
  batch.accesses.resize(first);
  expansion_.wraps.clear();
  for (unsigned i = 0; i < desc.entries; i++) {
    const RangeEntry& e = desc.range_entries()[i];
    expansion_.wraps.push_back({e.index(p), e.modulus});
  }
  expansion_.k = 0;
  expansion_.count = count;
  expansion_.left = count + 1;
  expansion_.loop = desc.loop;
  expansion_.thread = out_.thread();
}

// Writes out iterations until the batch is full or the loop is left.
void RangeExpander::expand() {
  Expansion& x = expansion_;
  resolver_.set_thread(x.thread);
  while (!out_.enough_events() && x.left) {
    x.left--;
    if (x.left == 0) {
      out_.emit_loop(EventKind::loop_exit, x.loop);
      return;
    }
    out_.emit_loop(EventKind::loop_iteration, x.loop);
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
        blocks_.access(a.site, address, a.width, kind);
      } else {
        blocks_.nothing(a.site, address, kind);
      }
    }
    x.k++;
  }
}

}  // namespace memprof::backend
