// inferred_dependences.cc - what bursts leave for later ones to read.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batches end anywhere, and columns are not in the order of time. So what a batch has in
// a burst is put together by times, and counted in whole numbers: the same run gives the
// same rows, wherever its batches end. What has been left when a burst is over is in
// inferred_shares.cc.
#include "runtime/backend/modules/sampled/inferred_dependences.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace memprof::backend {

Place InferredDependences::place_of(GroupId group, std::uint32_t object, std::uint64_t bytes,
                                    std::uint64_t offset) {
  const bool low = offset < k_field_bytes;
  const Place field{group, k_any_object, static_cast<std::uint32_t>(offset / k_word)};
  if (low && bytes <= k_record_bytes) return field;
  if (group != last_group_ || object != last_object_) {
    const auto it = arrays_.find({group, object});
    last_group_ = group;
    last_object_ = object;
    last_array_ = nullptr;
    if (it != arrays_.end())
      last_array_ = &it->second;
    else if (distinguished_[group]++ < k_max_objects)
      last_array_ = &arrays_[{group, object}];
  }
  if (last_array_)
    last_array_->extent = std::max(last_array_->extent, offset / k_word + 1);
  else if (low)
    return field;
  else
    object = k_any_object;
  if (low)
    return {group, object, static_cast<std::uint32_t>(k_fields + offset / k_word % k_residues)};
  const std::uint64_t power = std::bit_floor(offset);
  const auto octave = static_cast<std::uint64_t>(std::countr_zero(power / k_field_bytes));
  const std::uint64_t region = 1 + octave * k_regions + (offset - power) / (power / k_regions);
  return {group, object,
          static_cast<std::uint32_t>(k_fields + region * k_residues +
                                     offset / k_word % k_residues)};
}

// Of the word of an access; the first one may begin before the object.
template <typename AnyAccess>
Place InferredDependences::place_of_word(const AnyAccess& a, std::uint64_t word) {
  return place_of(a.group, a.object, a.object_bytes,
                  std::max(word * k_word, a.base) - a.base);
}

template <typename AnyAccess, typename Fn>
void InferredDependences::for_places(const AnyAccess& a, std::uint64_t first,
                                     std::uint64_t last, Fn&& fn) {
  constexpr std::uint64_t k_line = k_line_bytes / k_word;
  // Words of one line have parts that follow each other, unless objects begin within words.
  const bool whole = a.base % k_word == 0 && first * k_word >= a.base;
  for (std::uint64_t w = first, next; w <= last; w = next) {
    const std::uint64_t in_line = (w - a.base / k_word) % k_line;
    next = whole ? std::min(last + 1, w - in_line + k_line) : w + 1;
    Place place = place_of_word(a, next - 1);
    place.part -= static_cast<std::uint32_t>(next - 1 - w);
    for (; w < next; w++, place.part++) fn(w, place);
  }
}

Place InferredDependences::without_region(Place place) {
  place.part = static_cast<std::uint32_t>(k_every_region + place.part % k_residues);
  return place;
}

void InferredDependences::consume(const Batch& batch) {
  for (std::size_t i = 0; i < batch.early.size(); i++) {
    constexpr std::size_t k_ahead = 8;
    if (i + k_ahead < batch.early.size())
      last_.prefetch(batch.early[i + k_ahead].access.address / k_word);
    early(batch.early[i]);
  }
  clock_ = batch.clock;
  columns(batch, true);
  columns(batch, false);
  for (const Batch::LoopSample& w : batch.loop_samples) loop_sample(w);
  std::size_t held = words_.size();
  for (const PlaceTally* tally :
       {&loaded_, &unmet_, &early_, &sampled_stores_, &sampled_loads_})
    held += tally->size();
  if (!batch.gaps.empty())
    end_burst(batch.times);
  else if (held > k_max_words)
    end_burst(seen_one_in_);
}

void InferredDependences::early(const Batch::Early& e) {
  const RangeAccess& a = e.access;
  if (a.width > k_few * k_word) {
    loop_sample({a, e.one_in, e.clock});
    return;
  }
  const auto one_in = static_cast<double>(e.one_in);
  LastWriters::for_pieces(
      a.address / k_word, (a.address + a.width - 1) / k_word, [&](const LastWriters::Piece& p) {
        Place first;
        for_places(a, p.word, p.word + p.words - 1, [&](std::uint64_t word, const Place& place) {
          if (word == p.word) first = place;
          early_.add(a.site, place, e.one_in);
        });
        note_store(p, a.site, first, a.object, e.clock, one_in);
      });
}

// For words whose last store is known.
void InferredDependences::note_store(const LastWriters::Piece& p, SiteId site, const Place& place,
                                     std::uint32_t object, std::uint64_t clock, double one_in) {
  last_.store(p, site, where(place, object), clock, one_in);
  if (!distinguished_p(place)) return;
  std::uint32_t residues = 0;
  for (unsigned i = 0; i < p.words; i++) residues |= residue(p.word + i);
  history_.store({place.group, place.object}, {p.word, p.word + p.words, p.words, residues, site},
                 clock, one_in);
}

void InferredDependences::loop_sample(const Batch::LoopSample& w) {
  const std::uint64_t times = std::max<std::uint64_t>(w.times, 1);
  const bool wide = w.access.count == 1 && w.access.width > k_few * k_word;
  const RangeAccess a = wide ? w.access.in_words(k_word) : w.access;
  if (a.store) sweep(a, w.clock, times);
  count(a, a.store ? sampled_stores_ : sampled_loads_, times);
}

void InferredDependences::sweep(const RangeAccess& a, std::uint64_t clock,
                                std::uint64_t one_in) {
  const bool whole = a.count >= k_sweep;
  if (a.count == 0 || a.width == 0) return;
  const auto [low, high] = a.extent();
  const auto first = static_cast<std::uint64_t>(low), last = static_cast<std::uint64_t>(high) - 1;
  const Place place = place_of(a.group, a.object, a.object_bytes, last - a.base);
  if (!distinguished_p(place)) return;
  const std::uint64_t words = last / k_word - first / k_word + 1;
  const std::uint64_t each = (a.width + k_word - 1) / k_word;
  std::uint32_t residues = 0;
  for (std::uint64_t k = 0; k < std::min(a.count, k_residues); k++)
    for (std::uint64_t i = 0; i < std::min(each, k_residues); i++)
      residues |= residue((a.address + k * static_cast<std::uint64_t>(a.step)) / k_word + i);
  history_.store({place.group, place.object},
                 {first / k_word, last / k_word + 1, std::min(words, a.count * each), residues,
                  a.site, whole},
                 clock, static_cast<double>(one_in));
}

// The stores of a batch, or its loads.
void InferredDependences::columns(const Batch& batch, bool stores) {
  for (const Column& column : batch.columns) {
    if (program_.store_p(column.site) != stores) continue;
    Batch::for_items(column, [&](const Item& item) {
      const std::uint64_t time = batch.time + item.time;
      if ((item.target & k_range_item) != 0) {
        const RangeAccess& a = batch.accesses[item.target - k_range_item];
        const Range& r = batch.ranges[a.range];
        for (std::uint64_t row = 0; row < a.rows; row++)
          range(a.row(row), time + (r.row_time(row) - r.first_time));
        return;
      }
      const Target& t = batch.targets[item.target];
      access({column.site, t.group, t.object, stores, t.base, item.address, t.width, time,
              t.object_bytes});
    });
    for (const auto& [load, weight] : looks_) look(load, weight);
    looks_.clear();
  }
}

void InferredDependences::access(const Access& a) {
  if (a.width == 0) return;
  if (a.width > k_few * k_word) {
    RangeAccess whole{a.address, 0,       1,        a.base, a.width,
                      a.site,    a.group, a.object, a.store};
    whole.object_bytes = a.object_bytes;
    range(whole.in_words(k_word), a.time, times_);
    return;
  }
  a.store ? store(a) : load(a);
}

void InferredDependences::store(const Access& a) {
  const std::uint64_t first = a.address / k_word, last = (a.address + a.width - 1) / k_word;
  for_places(a, first, last, [&](std::uint64_t w, const Place& place) {
    const auto [word, fresh] = words_.add({w, a.time, a.time, a.site, a.object, place});
    if (fresh) return;
    word->first = std::min(word->first, a.time);
    // Of the stores of a range, one.
    if (std::pair(a.time, a.site) >= std::pair(word->last, word->site)) {
      word->last = a.time;
      word->site = a.site;
      word->object = a.object;
      word->place = place;
    }
  });
}

// How many executions this one of a load represents: of those after the first ones of a
// burst, which are much alike, only some are looked at.
std::uint64_t InferredDependences::weight_of(SiteId load) {
  Loads& loads = loads_[load];
  if (loads.burst != burst_) loads = {burst_, 0};
  if (loads.executions++ < k_first_loads) return 1;
  return loads.executions % k_some_loads == 0 ? k_some_loads : 0;
}

void InferredDependences::load(const Access& a) {
  const std::uint64_t weight = weight_of(a.site);
  if (weight == 0) return;
  last_.prefetch(a.address / k_word);
  words_.prefetch(a.address / k_word);
  looks_.emplace_back(a, weight);
}

void InferredDependences::look(const Access& a, std::uint64_t weight) {
  if (near(a, weight) || covered(a.address, a.address + a.width, a.time, false)) return;
  const std::uint64_t first = a.address / k_word, last = (a.address + a.width - 1) / k_word;
  // What it says of the first word it would say of the others.
  if (ask_history(a, first, place_of_word(a, first), weight * (last - first + 1))) return;
  LastWriters::for_pieces(first, last, [&](const LastWriters::Piece& p) {
    const std::uint32_t met =
        last_.load(a.site, p, where(place_of_word(a, p.word), a.object), clock_, weight);
    seen_[a.site] += static_cast<double>(weight * LastWriters::count(met));
    const std::uint32_t unmet = ~met & ((1u << p.words) - 1);
    for (unsigned i = 0; i < p.words; i += k_look)
      if (const std::uint32_t here = unmet >> i & ((1u << k_look) - 1))
        unmet_.add(a.site,
                   place_of_word(a, p.word + i + static_cast<unsigned>(std::countr_zero(here))),
                   weight * LastWriters::count(here));
  });
}

// Whether it reads what the burst has stored.
bool InferredDependences::near(const Access& a, std::uint64_t weight) {
  bool found = false;
  const std::uint64_t last = (a.address + a.width - 1) / k_word;
  for (std::uint64_t w = a.address / k_word; w <= last; w += k_look) {
    const Word* word = words_.find(w);
    if (!word || word->first >= a.time) continue;
    found = true;
    if (word->last < a.time)
      last_.near(a.site, word->site, where(word->place, word->object),
                 weight * std::min(k_look, last - w + 1));
  }
  return found;
}

// Of WORDS that lie together. False: they are no elements of an array, or these are not alike.
bool InferredDependences::ask_history(const Access& a, std::uint64_t word, const Place& place,
                                      std::uint64_t words) {
  if (!distinguished_p(place)) return false;
  const auto shares = history_.ask(a.site, {place.group, place.object}, word, clock_,
                                   last_.seen(word, where(place, a.object)));
  if (shares.empty()) return false;
  const auto all = static_cast<double>(words);
  const double share_written = last_array_->written;  // place_of() has just looked it up
  for (const auto& [store, part] : shares) share(store, all * part * share_written);
  end_shares(shared_[a.site]);
  seen_[a.site] += all;
  return true;
}

void InferredDependences::range(const RangeAccess& a, std::uint64_t time,
                                std::uint64_t one_in) {
  const auto step = static_cast<std::uint64_t>(a.step);
  if (a.count <= k_few) {
    for (std::uint64_t k = 0; k < a.count; k++)
      access({a.site, a.group, a.object, a.store, a.base, a.address + k * step, a.width, time,
              a.object_bytes});
    return;
  }
  const std::uint64_t last = a.address + (a.count - 1) * step;
  const std::uint64_t low = std::min(a.address, last);
  const std::uint64_t end = std::max(a.address, last) + a.width;
  if (a.store) {
    note_stretch({low, end, time});
    sweep(a, clock_, one_in);
  } else if (covered(low, end, time, true)) {
    return;
  }
  count(a, a.store ? ranges_ : loaded_);
}

// Whether a stretch stored to before TIME has some of these bytes, or all.
bool InferredDependences::covered(std::uint64_t low, std::uint64_t end, std::uint64_t time,
                                  bool whole) const {
  return std::any_of(stretches_.begin(), stretches_.end(), [&](const Stretch& s) {
    return s.time < time && (whole ? s.low <= low && end <= s.end : s.low < end && low < s.end);
  });
}

// The latest ones are kept.
void InferredDependences::note_stretch(const Stretch& s) {
  if (stretches_.size() < k_max_stretches)
    stretches_.push_back(s);
  else
    stretches_[next_stretch_++ % k_max_stretches] = s;
}

// In each region the residues repeat after at most 64 iterations.
template <typename Fn>
void InferredDependences::for_parts(const RangeAccess& a, Fn&& fn) {
  const std::uint64_t size =
      a.step < 0 ? 0 - static_cast<std::uint64_t>(a.step) : static_cast<std::uint64_t>(a.step);
  std::uint64_t low = a.address - a.base;
  if (size == 0) {
    fn(low, a.count);
    return;
  }
  if (a.step < 0) low -= (a.count - 1) * size;
  std::uint64_t left = a.count;
  for (; left != 0 && low < k_field_bytes; low += size, left--) fn(low, std::uint64_t{1});
  const std::uint64_t repeat = k_line_bytes / std::min(k_line_bytes, size & (0 - size));
  while (left != 0) {
    const std::uint64_t power = std::bit_floor(low), region = power / k_regions;
    const std::uint64_t end = power + ((low - power) / region + 1) * region;
    const std::uint64_t n = std::min(left, (end - low + size - 1) / size);
    const std::uint64_t alike = std::min(n, repeat);
    for (std::uint64_t k = 0; k < alike; k++) fn(low + k * size, (n - k + alike - 1) / alike);
    low += n * size;
    left -= n;
  }
}

void InferredDependences::count(const RangeAccess& a, PlaceTally& tally, std::uint64_t times) {
  for_parts(a, [&](std::uint64_t offset, std::uint64_t executions) {
    for (std::uint64_t byte = 0; byte < a.width; byte += k_word)
      tally.add(a.site, place_of(a.group, a.object, a.object_bytes, offset + byte),
                executions * times);
  });
}

}  // namespace memprof::backend
