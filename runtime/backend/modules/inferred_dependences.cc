// inferred_dependences.cc - what bursts leave for later ones to read.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batches end anywhere, and columns are not in the order of time. So what a batch has in
// a burst is put together by times, and counted in whole numbers: the same run gives the
// same rows, wherever its batches end.
#include "runtime/backend/modules/inferred_dependences.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "feedback/derive.h"

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
    else if (told_apart_[group]++ < k_max_objects)
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
  for (const Batch::Witness& w : batch.witnesses) witness(w);
  std::size_t held = words_.size();
  for (const PlaceTally* tally :
       {&loaded_, &unmet_, &early_, &witnessed_stores_, &witnessed_loads_})
    held += tally->size();
  if (!batch.gaps.empty())
    end_burst(batch.times);
  else if (held > k_max_words)
    end_burst(seen_one_in_);
}

void InferredDependences::early(const Batch::Early& e) {
  const RangeAccess& a = e.access;
  if (a.width > k_few * k_word) {
    witness({a, e.one_in, e.clock});
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

// For those who know who was the last to store to a word.
void InferredDependences::note_store(const LastWriters::Piece& p, SiteId site, const Place& place,
                                     std::uint32_t object, std::uint64_t clock, double one_in) {
  last_.store(p, site, where(place, object), clock, one_in);
  if (!told_apart_p(place)) return;
  std::uint32_t residues = 0;
  for (unsigned i = 0; i < p.words; i++) residues |= residue(p.word + i);
  history_.store({place.group, place.object}, {p.word, p.word + p.words, p.words, residues, site},
                 clock, one_in);
}

void InferredDependences::witness(const Batch::Witness& w) {
  const std::uint64_t times = std::max<std::uint64_t>(w.times, 1);
  const bool wide = w.access.count == 1 && w.access.width > k_few * k_word;
  const RangeAccess a = wide ? w.access.in_words(k_word) : w.access;
  if (a.store) sweep(a, w.clock, times);
  count(a, a.store ? witnessed_stores_ : witnessed_loads_, times);
}

void InferredDependences::sweep(const RangeAccess& a, std::uint64_t clock,
                                std::uint64_t one_in) {
  const bool whole = a.count >= k_sweep;
  const auto n = static_cast<double>(one_in);
  if (whole) last_.sweep(a, clock, n);
  if (a.count == 0 || a.width == 0) return;
  const auto [low, high] = a.extent();
  const auto first = static_cast<std::uint64_t>(low), last = static_cast<std::uint64_t>(high) - 1;
  const Place place = place_of(a.group, a.object, a.object_bytes, last - a.base);
  if (!told_apart_p(place)) return;
  const std::uint64_t words = last / k_word - first / k_word + 1;
  const std::uint64_t each = (a.width + k_word - 1) / k_word;
  std::uint32_t residues = 0;
  for (std::uint64_t k = 0; k < std::min(a.count, k_residues); k++)
    for (std::uint64_t i = 0; i < std::min(each, k_residues); i++)
      residues |= residue((a.address + k * static_cast<std::uint64_t>(a.step)) / k_word + i);
  history_.store({place.group, place.object},
                 {first / k_word, last / k_word + 1, std::min(words, a.count * each), residues,
                  a.site, whole},
                 clock, n);
}

// The stores of a batch, or its loads.
void InferredDependences::columns(const Batch& batch, bool stores) {
  for (const Column& column : batch.columns) {
    const std::span<const Convoy::Member> followers =
        column.convoy ? column.convoy->followers() : std::span<const Convoy::Member>();
    const bool leads = program_.store_p(column.site) == stores;
    if (!leads && followers.empty()) continue;
    Batch::for_items(column, [&](const Item& item) {
      const std::uint64_t time = batch.time + item.time;
      if ((item.target & k_range_item) != 0) {
        const RangeAccess& a = batch.accesses[item.target - k_range_item];
        const Range& r = batch.ranges[a.range];
        for (std::uint64_t row = 0; leads && row < a.rows; row++)
          range(a.row(row), time + (r.row_time(row) - r.first_time));
        return;
      }
      const Target& t = batch.targets[item.target];
      if (leads)
        access({column.site, t.group, t.object, stores, t.base, item.address, t.width, time,
                t.object_bytes});
      for (const Convoy::Member& m : followers)
        if (program_.store_p(m.site) == stores)
          access({m.site, t.group, t.object, stores, t.base, item.address + m.offset, m.width,
                  time + m.time, t.object_bytes});
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
    // Of those of a range, one.
    if (std::pair(a.time, a.site) >= std::pair(word->last, word->site)) {
      word->last = a.time;
      word->site = a.site;
      word->object = a.object;
      word->place = place;
    }
  });
}

// How many executions this one of a load stands for: of those behind the first ones of a
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
  if (!told_apart_p(place)) return false;
  const auto shares = history_.ask(a.site, {place.group, place.object}, word, clock_,
                                   last_.seen(word, where(place, a.object)));
  if (shares.empty()) return false;
  const auto all = static_cast<double>(words);
  const double share_written = last_array_->written;  // place_of() has just been asked for it
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

// To those stores at PLACE that LOAD may read; then end_shares(). Where hardly any are, objects of
// another type have their fields there, and what the load reads may have been stored by nobody:
// k_no_site. How many words of an array have been is known.
void InferredDependences::share_out(SiteId load, const Place& place, const Left& left,
                                    double words) {
  possible_.clear();
  double all = 0, others = 0;
  for (const auto& s : left.sites) {
    const bool may = program_.may_alias(load, s.first);
    if (may) possible_.push_back(s);
    (may ? all : others) += s.second;
  }
  if (!array_p(place) && others != 0) {
    possible_.emplace_back(k_no_site, k_nobody * others);
    all += possible_.back().second;
  }
  if (all == 0) return;  // there are none, or they have faded away
  for (const auto& [site, amount] : possible_) share(site, words * amount / all);
}

void InferredDependences::share(SiteId store, double words) {
  if (words == 0) return;
  double& share = shares_[store];
  if (share == 0) sharers_.push_back(store);
  share += words;
}

// What was shared out is added to what SHARED has; most stores have been there before.
void InferredDependences::end_shares(Shares& shared) {
  if (sharers_.empty()) return;
  std::sort(sharers_.begin(), sharers_.end());
  auto at = shared.begin();
  std::erase_if(sharers_, [&](SiteId site) {
    while (at != shared.end() && at->first < site) ++at;
    if (at == shared.end() || at->first != site) return false;
    at->second += std::exchange(shares_[site], 0);
    return true;
  });
  const auto old = static_cast<std::ptrdiff_t>(shared.size());
  for (const SiteId site : sharers_) shared.emplace_back(site, std::exchange(shares_[site], 0));
  std::inplace_merge(shared.begin(), shared.begin() + old, shared.end());
  sharers_.clear();
}

// What has been stored is there from now on. In one order, so that bounds leave out the same in
// each run.
void InferredDependences::leave(PlaceTally& stored, double weight, bool anywhere) {
  const std::size_t told = stored.size();
  for (std::size_t i = 0; anywhere && i < told; i++)
    if (const PlaceTally::Row row = stored[i]; array_p(row.place))
      stored.add(row.site, without_region(row.place), row.words);
  tellings_++;
  for (const PlaceTally::Row& row : stored.rows()) {
    Left* const left = left_.find(row.place);
    if (left && std::exchange(left->told, tellings_) != tellings_) fade(*left);
    if (double* const amount = left ? left->find(row.site) : nullptr)
      *amount += weight * static_cast<double>(row.words);
    else
      fresh_.push_back(row);
  }
  PlaceTally::sort_by_place(fresh_);
  for (const PlaceTally::Row& row : fresh_) {
    if (!room_for(row.site)) continue;
    Left& left = left_.add(row.place);
    left.told = tellings_;
    *left.insert(row.site) = weight * static_cast<double>(row.words);
  }
  fresh_.clear();
  stored.clear();
}

void InferredDependences::fade(Left& left) {
  double all = 0;
  for (auto& [site, amount] : left.sites) all += amount *= k_fade;
  std::erase_if(left.sites, [&](const auto& s) {
    const bool forgotten = s.second < k_forgotten * all;
    places_[s.first] -= forgotten;
    all_places_ -= forgotten;
    return forgotten;
  });
}

InferredDependences::Shares::iterator InferredDependences::Left::at(SiteId site) {
  return std::ranges::lower_bound(sites, site, {}, &std::pair<SiteId, double>::first);
}

double* InferredDependences::Left::find(SiteId site) {
  const auto it = at(site);
  return it != sites.end() && it->first == site ? &it->second : nullptr;
}

double* InferredDependences::Left::insert(SiteId site) {
  return &sites.insert(at(site), {site, 0})->second;
}

// For one place more of SITE.
bool InferredDependences::room_for(SiteId site) {
  std::uint32_t& places = places_[site];
  if (places >= k_max_places || all_places_ >= k_max_all_places) return false;
  places++;
  all_places_++;
  return true;
}

// What a load reads at a place; null: it waits for that.
const InferredDependences::Left* InferredDependences::left_for(SiteId load, const Place& place,
                                                               double words) {
  seen_[load] += words;
  if (const Left* left = left_.find(place)) return left;
  const std::pair key(load, place);
  const auto at = waiting_.lower_bound(key);
  if (at != waiting_.end() && at->first == key)
    at->second += words;
  else if (room_for(load))
    waiting_.emplace_hint(at, key, words);
  return nullptr;
}

// What has been loaded reads what is there.
void InferredDependences::read(PlaceTally& loads, double weight) {
  // In one order, so that sums are the same in each run.
  const std::span<const PlaceTally::Row> loaded = loads.by_site();
  for (std::size_t i = 0; i < loaded.size(); i++) {
    const auto& [load, place, count] = loaded[i];
    const double words = weight * static_cast<double>(count);
    if (const Left* left = left_for(load, place, words)) share_out(load, place, *left, words);
    if (i + 1 == loaded.size() || loaded[i + 1].site != load) end_shares(shared_[load]);
  }
  loads.clear();
}

// The same, where what the load meets elsewhere corrects it.
void InferredDependences::read_unmet() {
  std::pair<LastWriters::Loads, std::uint32_t> last{};
  for (const auto& [load, place, count] : unmet_.by_site()) {
    const auto words = static_cast<double>(count);
    const Left* left = left_for(load, place, words);
    if (!left) continue;
    const LastWriters::Where at = where(place, 0);
    const std::pair key(LastWriters::Loads{load, at.group, at.part}, place.object);
    if (key != last && !sharers_.empty()) end_shares(unmet_shares_[last]);
    last = key;
    share_out(load, place, *left, words);
  }
  if (!sharers_.empty()) end_shares(unmet_shares_[last]);
  unmet_.clear();
}

template <typename Fn>
void InferredDependences::for_arrays(const PlaceTally& tally, Fn&& fn) {
  for (std::size_t i = 0; i < tally.size(); i++) {
    if (!told_apart_p(tally[i].place)) continue;
    const auto it = arrays_.find({tally[i].place.group, tally[i].place.object});
    if (it != arrays_.end()) fn(it->second, static_cast<double>(tally[i].words));
  }
}

void InferredDependences::count_stores(const PlaceTally& stored, double times) {
  for_arrays(stored, [&](Array& array, double words) {
    array.stores += times * words;
    if (array.last_seen != burst_) array.seen++;
    array.last_seen = burst_;
  });
}

// Which share of the words of an array has been stored to, at most. What was seen seldom may
// have happened more often.
double InferredDependences::written(GroupId group, std::uint32_t object) const {
  const auto it = arrays_.find({group, object});
  if (it == arrays_.end() || it->second.seen == 0) return 1;
  const Array& array = it->second;
  const double stores = std::max(array.early, array.stores * (1 + 1 / std::sqrt(array.seen)));
  return std::min(1.0, stores / static_cast<double>(array.extent));
}

// How many words from this one on, of 8 bytes, one site was the last to store to in the burst;
// 0: it is not the first one.
unsigned InferredDependences::words_alike(const Word& first) {
  const auto alike = [&](std::uint64_t w) {
    const Word* word = words_.find(w);
    return word && word->site == first.site && word->object == first.object &&
           word->place.group == first.place.group;
  };
  constexpr unsigned k_piece = LastWriters::k_piece;
  if (first.word % k_piece != 0 && alike(first.word - 1)) return 0;
  unsigned n = 1;
  while ((first.word + n) % k_piece != 0 && alike(first.word + n)) n++;
  return n;
}

// What bursts have seen has happened so many TIMES; witnesses tell of all of it.
void InferredDependences::end_burst(std::uint64_t times) {
  times_ = times;
  const auto weight = static_cast<double>(times);
  const auto ahead = [&](const Word& word) { last_.prefetch(word.word); };
  if (times > 1) seen_one_in_ = times;
  words_.for_each(ahead, [&](const Word& word) {
    stored_.add(word.site, word.place, 1);
    if (const unsigned n = words_alike(word))
      note_store({word.word, n}, word.site, word.place, word.object, clock_, weight);
  });
  count_stores(ranges_, weight);
  count_stores(stored_, weight);
  count_stores(witnessed_stores_, 1);
  for_arrays(early_, [](Array& array, double words) { array.early += words; });
  for (auto& [key, array] : arrays_) array.written = written(key.first, key.second);
  leave(ranges_, weight, false);
  leave(stored_, weight, true);
  read(loaded_, 1);
  read_unmet();
  words_.clear();
  stretches_.clear();
  next_stretch_ = 0;
  burst_++;
  leave(early_, 1, true);
  leave(witnessed_stores_, 1, false);
  read(witnessed_loads_, 1 / weight);
}

// Who has stored what LOAD has read, and how many words.
void InferredDependences::add_sources(SiteId load, Shares& sources) {
  const auto& answers = last_.answers();
  const LastWriters::Loads first{load, 0, 0};
  for (auto it = answers.lower_bound(first); it != answers.end() && it->first.load == load; ++it)
    for (const auto& [store, words] : it->second.sources) share(store, words);
  if (const Shares* const shared = shared_.find(load))
    for (const auto& [store, words] : *shared) share(store, words);
  for (auto it = unmet_shares_.lower_bound({first, 0});
       it != unmet_shares_.end() && it->first.first.load == load; ++it) {
    const LastWriters::Loads& loads = it->first.first;
    const LastWriters::Answer* const answer = last_.answer_for(loads);
    const double met = answer ? answer->words : 0;
    const double of_places = k_places_count / (met + k_places_count);
    const double share_written = written(loads.group, it->first.second);
    double all = 0;
    for (const auto& [store, unmet] : it->second) {
      const double words = unmet * share_written;
      share(store, words * of_places);
      all += words;
    }
    if (met != 0)
      for (const auto& [store, words] : answer->sources)
        share(store, all * (1 - of_places) * words / met);
  }
  end_shares(sources);
}

void InferredDependences::settle() {
  // The last loops that have told of themselves count more than those before: by now it is
  // known best who has left what.
  end_burst(1);
  last_.settle(clock_, seen_one_in_);
  for (const auto& [key, words] : waiting_) {
    const auto& [load, place] = key;
    const Left* left = left_.find(place);
    if (!left && array_p(place)) left = left_.find(without_region(place));
    if (!left) continue;
    share_out(load, place, *left, words);
    end_shares(shared_[load]);
  }
  seen_.for_each([this](SiteId load, double words) {
    if (words != 0) add_sources(load, sources_[load]);
  });
}

void InferredDependences::finish(feedback::Profile& profile) {
  std::map<feedback::Id, std::uint64_t> measured;
  for (const feedback::Dependence& row : profile.dependences) measured[row.sink] += row.count;
  for (const auto& [load, sources] : sources_) {
    const feedback::Id sink = program_.site_id(load);
    const std::uint64_t executions = program_.executions(load);
    if (sink == feedback::k_none || measured[sink] >= executions) continue;
    const double each = static_cast<double>(executions - measured[sink]) / *seen_.find(load);
    for (const auto& [store, words] : sources) {
      const feedback::Id source = program_.site_id(store);
      constexpr double k_rounding = 1e-6;
      const auto n = static_cast<std::uint64_t>(each * words + k_rounding);
      if (source == feedback::k_none || n == 0 || n * 100 < executions) continue;
      profile.inferred_dependences.push_back(
          {source, sink, n, feedback::ratio(n, executions)});
    }
  }
}

}  // namespace memprof::backend
