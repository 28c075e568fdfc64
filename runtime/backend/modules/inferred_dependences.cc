// inferred_dependences.cc - what bursts leave for later ones to read.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batches end anywhere, and columns are not in the order of time. So what a batch has in
// a burst is put together by times, and counted in whole numbers: the same run gives the
// same rows, wherever its batches end.
#include "runtime/backend/modules/inferred_dependences.h"

#include <algorithm>
#include <bit>

#include "feedback/derive.h"

namespace memprof::backend {

std::size_t InferredDependences::Hash::operator()(const std::pair<SiteId, Place>& p) const {
  return (*this)(p.second) + p.first * 0x9e3779b97f4a7c15u;
}

std::size_t InferredDependences::Hash::operator()(const Place& p) const {
  const std::uint64_t h =
      (std::uint64_t{p.group} << 32 | p.object) * 0x9e3779b97f4a7c15u + p.part;
  return static_cast<std::size_t>((h ^ h >> 29) * 0xbf58476d1ce4e5b9u);
}

InferredDependences::Place InferredDependences::place_of(GroupId group, std::uint32_t object,
                                                         std::uint64_t offset) {
  if (offset < k_field_bytes)
    return {group, k_any_object, static_cast<std::uint32_t>(offset / k_word)};
  if (group != last_group_ || object != last_object_) {
    std::set<std::uint32_t>& arrays = arrays_[group];
    if (arrays.size() < k_max_objects) arrays.insert(object);
    last_group_ = group;
    last_object_ = object;
    told_apart_ = arrays.contains(object);
  }
  if (!told_apart_) object = k_any_object;
  const std::uint64_t power = std::bit_floor(offset);
  const auto octave = static_cast<std::uint64_t>(std::countr_zero(power / k_field_bytes));
  const std::uint64_t region = octave * k_regions + (offset - power) / (power / k_regions);
  return {group, object,
          static_cast<std::uint32_t>(k_fields + region * k_residues +
                                     offset / k_word % k_residues)};
}

InferredDependences::Place InferredDependences::without_region(Place place) {
  place.part = static_cast<std::uint32_t>(k_every_region + place.part % k_residues);
  return place;
}

void InferredDependences::consume(const Batch& batch) {
  columns(batch, true);
  columns(batch, false);
  for (const auto& [a, times] : batch.witnesses) count(a, witnessed_, times);
  if (!batch.gaps.empty() || words_.size() + loaded_.size() > k_max_words)
    end_burst(batch.times);
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
        if (leads) range(batch.accesses[item.target - k_range_item], time);
        return;
      }
      const Target& t = batch.targets[item.target];
      if (leads)
        access({column.site, t.group, t.object, stores, t.base, item.address, t.width, time});
      for (const Convoy::Member& m : followers)
        if (program_.store_p(m.site) == stores)
          access({m.site, t.group, t.object, stores, t.base, item.address + m.offset, m.width,
                  time + m.time});
    });
  }
}

void InferredDependences::access(const Access& a) {
  if (a.width == 0) return;
  if (a.width > k_few * k_word) {
    range({a.address, k_word, a.width / k_word, a.base, k_word, a.site, a.group, a.object,
           a.store},
          a.time);
    return;
  }
  a.store ? store(a) : load(a);
}

void InferredDependences::store(const Access& a) {
  for (std::uint64_t w = a.address / k_word; w <= (a.address + a.width - 1) / k_word; w++) {
    const Place place =
        place_of(a.group, a.object, std::max(w * k_word, a.base) - a.base);
    const auto [it, fresh] = words_.try_emplace(w, Word{a.time, a.time, a.site, place});
    if (fresh) continue;
    Word& word = it->second;
    word.first = std::min(word.first, a.time);
    // Of those of a range, one.
    if (std::pair(a.time, a.site) >= std::pair(word.last, word.site))
      word = {word.first, a.time, a.site, place};
  }
}

void InferredDependences::load(const Access& a) {
  const std::uint64_t first = a.address / k_word, last = (a.address + a.width - 1) / k_word;
  for (std::uint64_t w = first; w <= last; w++)
    if (const auto it = words_.find(w); it != words_.end() && it->second.first < a.time) return;
  if (covered(a.address, a.address + a.width, a.time, false)) return;
  for (std::uint64_t w = first; w <= last; w++)
    loaded_[{a.site, place_of(a.group, a.object, std::max(w * k_word, a.base) - a.base)}]++;
}

void InferredDependences::range(const RangeAccess& a, std::uint64_t time) {
  const auto step = static_cast<std::uint64_t>(a.step);
  if (a.count <= k_few) {
    for (std::uint64_t k = 0; k < a.count; k++)
      access({a.site, a.group, a.object, a.store, a.base, a.address + k * step, a.width, time});
    return;
  }
  const std::uint64_t last = a.address + (a.count - 1) * step;
  const std::uint64_t low = std::min(a.address, last);
  const std::uint64_t end = std::max(a.address, last) + a.width;
  if (a.store)
    note_stretch({low, end, time});
  else if (covered(low, end, time, true))
    return;
  count(a, stored_);
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

void InferredDependences::count(const RangeAccess& a, std::map<Place, Counts>& stored,
                                std::uint64_t times) {
  for_parts(a, [&](std::uint64_t offset, std::uint64_t executions) {
    for (std::uint64_t byte = 0; byte < a.width; byte += k_word) {
      const Place place = place_of(a.group, a.object, offset + byte);
      (a.store ? stored[place][a.site] : loaded_[{a.site, place}]) += executions * times;
    }
  });
}

void InferredDependences::share_out(SiteId load, const Left& left, std::uint64_t words) {
  for (const auto& [site, amount] : left.sites)
    shared_[load][site] += static_cast<double>(words) * amount / left.all;
}

// What has been stored is there from now on.
void InferredDependences::leave(std::map<Place, Counts>& stored, double weight) {
  std::map<Place, Counts> whole;
  for (const auto& [place, counts] : stored)
    if (array_p(place))
      for (const auto& [site, n] : counts) whole[without_region(place)][site] += n;
  stored.merge(whole);
  for (const auto& [place, counts] : stored) {
    if (const auto it = left_.find(place); it != left_.end()) {
      it->second.all *= k_fade;
      for (auto& [site, amount] : it->second.sites) amount *= k_fade;
    }
    for (const auto& [site, n] : counts) {
      auto it = left_.find(place);
      if (it == left_.end() || !it->second.sites.contains(site)) {
        if (!room_for(site)) continue;
        it = left_.try_emplace(place).first;
      }
      it->second.sites[site] += weight * static_cast<double>(n);
      it->second.all += weight * static_cast<double>(n);
    }
  }
  stored.clear();
}

// For one place more of SITE.
bool InferredDependences::room_for(SiteId site) {
  std::size_t& places = places_[site];
  if (places >= k_max_places || all_places_ >= k_max_all_places) return false;
  places++;
  all_places_++;
  return true;
}

// What bursts have seen has happened so many TIMES; witnesses tell of all of it.
void InferredDependences::end_burst(std::uint64_t times) {
  for (const auto& [address, word] : words_) stored_[word.place][word.site]++;
  leave(stored_, 1);
  // In one order, so that sums are the same in each run.
  std::vector<std::pair<std::pair<SiteId, Place>, std::uint64_t>> loaded(loaded_.begin(),
                                                                         loaded_.end());
  std::sort(loaded.begin(), loaded.end());
  for (const auto& [key, words] : loaded) {
    const auto& [load, place] = key;
    seen_[load] += words;
    if (const auto it = left_.find(place); it != left_.end())
      share_out(load, it->second, words);
    else if (waiting_.contains(key) || room_for(load))
      waiting_[key] += words;
  }
  words_.clear();
  stretches_.clear();
  next_stretch_ = 0;
  loaded_.clear();
  leave(witnessed_, 1 / static_cast<double>(times));
}

void InferredDependences::finish(feedback::Profile& profile) {
  end_burst(1);
  for (const auto& [key, words] : waiting_) {
    const auto& [load, place] = key;
    auto it = left_.find(place);
    if (it == left_.end() && array_p(place)) it = left_.find(without_region(place));
    if (it != left_.end()) share_out(load, it->second, words);
  }
  std::map<feedback::Id, std::uint64_t> measured;
  for (const feedback::Dependence& row : profile.dependences) measured[row.sink] += row.count;
  for (const auto& [load, sources] : shared_) {
    const feedback::Id sink = program_.site_id(load);
    const std::uint64_t executions = program_.executions(load);
    if (sink == feedback::k_none || measured[sink] >= executions) continue;
    const double each = static_cast<double>(executions - measured[sink]) /
                        static_cast<double>(seen_[load]);
    for (const auto& [store, words] : sources) {
      const feedback::Id source = program_.site_id(store);
      const auto n = static_cast<std::uint64_t>(each * words);
      if (source == feedback::k_none || n == 0 || n * 100 < executions) continue;
      profile.inferred_dependences.push_back(
          {source, sink, n, feedback::ratio(n, executions)});
    }
  }
}

}  // namespace memprof::backend
