// array_history.cc - which sites stored to the elements of an array, burst by burst.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/sampled/array_history.h"

#include <algorithm>
#include <cmath>

namespace memprof::backend {

std::uint32_t ArrayHistory::number_of(Array& array, const Stores& stores) {
  const auto fresh = static_cast<std::uint32_t>(array.sites.size());
  const std::uint32_t number = array.numbers.add(stores.site, fresh);
  if (number == fresh) array.sites.push_back({stores.site, 0, stores.low, stores.end});
  Site& site = array.sites[number];
  site.low = std::min(site.low, stores.low);
  site.end = std::max(site.end, stores.end);
  site.residues |= stores.residues;
  return number;
}

void ArrayHistory::store(const Key& key, const Stores& stores, std::uint64_t clock,
                         double one_in) {
  Array& array = arrays_[key];
  const std::uint32_t number = number_of(array, stores);
  const auto count = static_cast<double>(stores.count);
  if (stores.fills)
    array.filled += count;
  else
    array.stores += count * one_in;
  const auto all = static_cast<float>(count * one_in);
  std::uint64_t& last = array.sites[number].event;
  if (last >= array.forgotten && last - array.forgotten < array.events.size()) {
    Event& event = array.events[last - array.forgotten];
    if (event.site == number && event.clock == clock) {
      event.stores += all;
      return;
    }
  }
  if (array.events.size() == k_max_events) {
    constexpr std::size_t half = k_max_events / 2;
    array.events.erase(array.events.begin(), array.events.begin() + half);
    array.forgotten += half;
  }
  last = array.forgotten + array.events.size();
  array.events.push_back({clock, number, all});
}

double ArrayHistory::walk(SiteId load, const Array& array, std::uint64_t word,
                          std::uint64_t clock, const Seen& seen) {
  shares_.clear();
  double left = 1;
  std::size_t steps = 0;
  for (auto e = array.events.rbegin(); e != array.events.rend() && steps < k_steps;) {
    const std::uint64_t now = e->clock;
    if (now < clock && (left <= k_least || (seen.site != 0 && now <= seen.clock))) break;
    // What happens in one burst has no order.
    const std::size_t first = shares_.size();
    double stores = 0;  // to each word
    for (; e != array.events.rend() && e->clock == now; ++e) {
      const Site& site = array.sites[e->site];
      if (now >= clock) continue;
      steps++;
      if (!site.in_extent(word) || !program_.may_alias(load, site.site)) continue;
      shares_.emplace_back(site.site, double{e->stores} / site.extent());
      stores += shares_.back().second;
    }
    if (stores == 0) continue;
    const double taken = left * (1 - std::exp(-stores));
    for (std::size_t i = first; i < shares_.size(); i++) shares_[i].second *= taken / stores;
    left -= taken;
  }
  if (seen.site == 0) return 1 - left;
  shares_.emplace_back(seen.site, left);
  return 1;
}

// The last store to WORD was seen, and is SITE's: does the rest say so, too?
void ArrayHistory::test(Array& array, std::uint64_t word, std::uint64_t clock, SiteId site) {
  const double all = walk(site, array, word, clock, {});
  if (all == 0) return;
  array.in_burst.words++;
  for (const auto& [by, share] : shares_)
    if (by == site) array.in_burst.right += share / all;
}

ArrayHistory::Shares ArrayHistory::ask(SiteId load, const Key& key, std::uint64_t word,
                                       std::uint64_t clock, Seen seen) {
  const auto it = arrays_.find(key);
  if (it == arrays_.end() || seen.times > 1) return {};
  Array& array = it->second;
  if (array.now != clock) {
    array.now = clock;
    array.before.words += array.in_burst.words;
    array.before.right += array.in_burst.right;
    array.in_burst = {};
  }
  if (seen.site != 0 && array.before.words < k_tested) test(array, word, clock, seen.site);
  if (!array.alike()) return {};
  if (seen.site != 0 && !program_.may_alias(load, seen.site)) seen = {};
  const double all = walk(load, array, word, clock, seen);
  if (all == 0) return {};
  for (auto& [site, share] : shares_) share /= all;
  return shares_;
}

}  // namespace memprof::backend
