// inferred_shares.cc - what bursts have left, and how loads of later ones share it out.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What happens in a burst is in inferred_dependences.cc; this is what is counted when it is
// over, and at the end of the run.
#include "runtime/backend/modules/sampled/inferred_dependences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "feedback/derive.h"

namespace memprof::backend {

// To those stores at PLACE that LOAD may read; then end_shares(). Where hardly any are, objects of
// another type have their fields there, and what the load reads may never have been stored:
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
    possible_.emplace_back(k_no_site, k_no_writer * others);
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
  const std::size_t known = stored.size();
  for (std::size_t i = 0; anywhere && i < known; i++)
    if (const PlaceTally::Row row = stored[i]; array_p(row.place))
      stored.add(row.site, without_region(row.place), row.words);
  reports_++;
  for (const PlaceTally::Row& row : stored.rows()) {
    Left* const left = left_.find(row.place);
    if (left && std::exchange(left->reported, reports_) != reports_) fade(*left);
    if (double* const amount = left ? left->find(row.site) : nullptr)
      *amount += weight * static_cast<double>(row.words);
    else
      fresh_.push_back(row);
  }
  PlaceTally::sort_by_place(fresh_);
  for (const PlaceTally::Row& row : fresh_) {
    if (!room_for(row.site)) continue;
    Left& left = left_.add(row.place);
    left.reported = reports_;
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
    if (!distinguished_p(tally[i].place)) continue;
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

// What bursts have seen has happened TIMES times; loop_samples report all of it.
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
  count_stores(sampled_stores_, 1);
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
  leave(sampled_stores_, 1, false);
  read(sampled_loads_, 1 / weight);
}

// The sites that have stored what LOAD has read, and how many words each.
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
  // The last loops that were reported count more than those before: by now it is
  // known best which site has left what.
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
