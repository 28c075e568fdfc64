// last_writers.cc - the last store to a word, and how long it lasts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/last_writers.h"

#include <algorithm>

namespace memprof::backend {

namespace {

constexpr std::uint64_t k_word = 4;

// Load, life and age in a word.
constexpr unsigned k_age_bits = 6, k_life_bits = 26;

std::uint64_t key_of(SiteId load, std::uint32_t life, unsigned age) {
  return std::uint64_t{load} << (k_life_bits + k_age_bits) |
         std::uint64_t{life} << k_age_bits | age;
}
SiteId load_in(std::uint64_t key) {
  return static_cast<SiteId>(key >> (k_life_bits + k_age_bits));
}
std::uint32_t life_in(std::uint64_t key) {
  return static_cast<std::uint32_t>(key >> k_age_bits & ((1 << k_life_bits) - 1));
}
unsigned age_in(std::uint64_t key) {
  return static_cast<unsigned>(key & ((1 << k_age_bits) - 1));
}

}  // namespace

std::uint32_t LastWriters::life_of(SiteId site, GroupId group, std::uint32_t part) {
  const auto [it, fresh] =
      life_numbers_.emplace(std::array{site, group, part}, lives_.size());
  if (fresh) {
    Life& life = lives_.emplace_back();
    life.site = site;
    life.group = group;
    life.part = part;
  }
  return it->second;
}

// SITE stores to a word: a death if it is another one. Of what happens in one burst all is
// seen.
void LastWriters::end_life(Kept& kept, SiteId site, std::uint64_t clock, double one_in) {
  const unsigned years = age(kept.clock, clock);
  const std::uint32_t last = kept.life;
  lives_[last].ended[years]++;
  kept.clock = clock;
  kept.life = life_of(site, lives_[last].group, lives_[last].part);
  lives_[kept.life].stores++;
  if (kept.life == last) return;
  Life& life = lives_[last];
  const float n = years == 0 ? 1 : static_cast<float>(one_in);
  life.died[years] += n;
  const auto next = std::find_if(life.next.begin(), life.next.end(),
                                 [&](const auto& x) { return x.first == kept.life; });
  if (next == life.next.end())
    life.next.emplace_back(kept.life, n);
  else
    next->second += n;
}

// Sweeps since the word was stored to.
void LastWriters::apply_sweeps(Kept& kept) {
  if (sweeps_.empty()) return;
  const auto it = sweeps_.find(key(lives_[kept.life].group, kept.object));
  if (it == sweeps_.end()) return;
  for (const Sweep& s : it->second)
    if (s.clock > kept.clock && s.covers(kept.word * k_word))
      end_life(kept, s.site, s.clock, s.one_in);
}

void LastWriters::store(std::uint64_t word, SiteId site, const Where& where,
                        std::uint64_t clock, double one_in) {
  Kept* kept = words_.find(word);
  if (kept && in_object_p(*kept, where)) {
    apply_sweeps(*kept);
    end_life(*kept, site, clock, one_in);
    return;
  }
  if (!kept && words_.size() >= k_max_words) return;
  const Kept born = {word, clock, where.object, life_of(site, where.group, where.part)};
  lives_[born.life].stores++;
  if (!kept) {
    words_.add(born);
    return;
  }
  // Memory that is used again.
  lives_[kept->life].ended[age(kept->clock, clock)]++;
  *kept = born;
}

void LastWriters::sweep(const RangeAccess& a, std::uint64_t clock, double one_in) {
  if (a.count == 0 || a.step == 0) return;
  const auto step = static_cast<std::uint64_t>(a.step < 0 ? -a.step : a.step);
  const std::uint64_t low = a.step < 0 ? a.address - (a.count - 1) * step : a.address;
  std::vector<Sweep>& all = sweeps_[key(a.group, a.object)];
  if (all.size() == k_max_sweeps) all.erase(all.begin());
  all.push_back({low, low + (a.count - 1) * step + a.width, step, a.width, clock, a.site,
                 static_cast<float>(one_in)});
}

bool LastWriters::load(SiteId site, std::uint64_t word, const Where& where,
                       std::uint64_t clock, std::uint64_t weight) {
  std::uint32_t life = 0;
  std::uint64_t since = 0;
  Kept* kept = words_.find(word);
  if (kept && in_object_p(*kept, where)) {
    apply_sweeps(*kept);
    life = kept->life;
    since = kept->clock;
  } else {
    const auto it = sweeps_.find(key(where.group, where.object));
    if (it == sweeps_.end()) return false;
    const auto last = std::find_if(it->second.rbegin(), it->second.rend(),
                                   [&](const Sweep& s) { return s.covers(word * k_word); });
    if (last == it->second.rend()) return false;
    life = life_of(last->site, where.group, where.part);
    since = last->clock;
  }
  met_[key_of(site, life, age(since, clock))] += weight;
  return true;
}

void LastWriters::near(SiteId site, SiteId source, const Where& where,
                       std::uint64_t weight) {
  near_[key_of(site, life_of(source, where.group, where.part), 0)] += weight;
}

// The chance that a life lasts to the middle of an age, and who is next.
void LastWriters::count_chances() {
  for (Life& life : lives_) {
    double left = 0, alive = 1, all = 0;
    for (const float n : life.ended) left += n;
    for (unsigned i = 0; i < k_ages; i++) {
      const double dying = left > 0 ? std::min(life.died[i] / left, 1.0) : 0;
      left -= life.ended[i];
      life.alive[i] = static_cast<float>(alive * (1 - dying / 2));
      alive *= 1 - dying;
    }
    for (const auto& [next, n] : life.next) all += n;
    for (auto& [next, n] : life.next) n = static_cast<float>(n / all);
  }
}

// Whose a word is that was stored to so long ago: the one's that stored then, the next one's,
// or the one's behind that.
void LastWriters::chances_at(std::uint32_t number, unsigned years, Chances& chances) const {
  const Life& life = lives_[number];
  const double alive = std::max(double{life.alive[years]}, life.part == k_array ? 0 : k_odd);
  chances.assign(1, {number, alive});
  if (alive == 1) return;
  const unsigned later = years == 0 ? 0 : years - 1;
  for (const auto& [next, share] : life.next) {
    const double first = (1 - alive) * share, lasts = lives_[next].alive[later];
    chances.emplace_back(next, first * lasts);
    if (lasts == 1) continue;
    for (const auto& [second, part] : lives_[next].next)
      chances.emplace_back(second, first * (1 - lasts) * part);
  }
}

// How many words of a life each load has surely met, and of all lives.
void LastWriters::count_sure(const Met& met) {
  for (const auto& [key, words] : near_)
    sure_[{load_in(key), life_in(key)}] += static_cast<double>(words);
  for (const auto& [key, words] : met)
    sure_[{load_in(key), life_in(key)}] +=
        lives_[life_in(key)].alive[age_in(key)] * static_cast<double>(words);
}

void LastWriters::count_answers(const Met& met) {
  std::map<std::pair<GroupId, std::uint32_t>, double> stores;
  for (const Life& life : lives_) stores[{life.group, life.part}] += life.stores;
  std::map<Loads, double> sure;
  for (const auto& [key, words] : sure_) {
    const Life& life = lives_[key.second];
    sure[{key.first, life.group, life.part}] += words;
  }
  Chances chances;
  for (const auto& [key, words] : met) {
    const Life& life = lives_[life_in(key)];
    const Loads loads{load_in(key), life.group, life.part};
    // Of a site about which nothing is known the load meets as many words as of others.
    const double unknown =
        k_unknown * (stores.at({life.group, life.part}) + 1) / std::max(sure.at(loads), 1e-6);
    chances_at(life_in(key), age_in(key), chances);
    double sum = 0;
    for (auto& [number, chance] : chances) {
      const auto it = sure_.find({loads.load, number});
      chance *= ((it == sure_.end() ? 0 : it->second) + k_unknown) /
                (lives_[number].stores + unknown);
      sum += chance;
    }
    Answer& answer = answers_[loads];
    answer.words += static_cast<double>(words);
    for (const auto& [number, chance] : chances)
      answer.sources[lives_[number].site] += static_cast<double>(words) * chance / sum;
  }
}

void LastWriters::settle(std::uint64_t clock) {
  words_.for_each([&](Kept& kept) {
    apply_sweeps(kept);
    lives_[kept.life].ended[age(kept.clock, clock)]++;
  });
  count_chances();
  const Met met(met_.begin(), met_.end());  // in order, so that sums are the same in each run
  count_sure(met);
  count_answers(met);
}

}  // namespace memprof::backend
