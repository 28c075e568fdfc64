// last_writers.cc - the last store to a word, and how long it lasts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/sampled/last_writers.h"

#include <algorithm>
#include <utility>

namespace memprof::backend {

namespace {

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

std::size_t LastWriters::HashOfLife::operator()(const LifeKey& key) const {
  const std::uint64_t both = std::uint64_t{key.site} << 32 | key.group;
  return (both * 0x9e3779b97f4a7c15u + key.part) * 0xbf58476d1ce4e5b9u >> 32;
}

std::uint32_t LastWriters::life_of(SiteId site, GroupId group, std::uint32_t part) {
  const auto fresh = static_cast<std::uint32_t>(lives_.size());
  const std::uint32_t number = life_numbers_.add({site, group, part}, fresh);
  if (number == fresh) {
    Life& life = lives_.emplace_back();
    life.site = site;
    life.group = group;
    life.part = part;
  }
  return number;
}

// The life NEXT begins in WORDS words: a death if it is another site's. Of what happens in one
// burst all is seen.
void LastWriters::end_life(Kept& kept, std::uint32_t next, std::uint64_t clock, double one_in,
                           double words) {
  const unsigned years = age(kept.clock, clock);
  Life& last = lives_[kept.life];
  last.ended[years] += static_cast<float>(words);
  kept.times += kept.clock != clock;
  kept.clock = clock;
  if (kept.life == next) return;
  kept.life = next;
  const double n = years == 0 ? words : one_in * words;
  last.died[years] += static_cast<float>(n);
  note_next(last, next, n);
}

void LastWriters::note_next(Life& life, std::uint32_t number, double words) {
  const auto n = static_cast<float>(words);
  const auto next = std::find_if(life.next.begin(), life.next.end(),
                                 [&](const auto& x) { return x.first == number; });
  if (next == life.next.end())
    life.next.emplace_back(number, n);
  else
    next->second += n;
}

// A store to all words of KEPT.
void LastWriters::store_to(Kept& kept, std::uint32_t life, const Where& where,
                           std::uint64_t clock, double one_in) {
  const double words = kept.words();
  if (in_object_p(kept, where)) {
    const std::uint32_t part = lives_[kept.life].part;
    end_life(kept, part == where.part ? life : life_of(lives_[life].site, where.group, part), clock,
             one_in, words);
  } else {
    // Memory that is used again.
    lives_[kept.life].ended[age(kept.clock, clock)] += static_cast<float>(words);
    kept = {kept.word, clock, where.object, life, 1, kept.mask};
  }
  lives_[kept.life].stores += words;
}

void LastWriters::store(const Piece& piece, SiteId site, const Where& where,
                        std::uint64_t clock, double one_in) {
  const std::uint32_t life = life_of(site, where.group, where.part);
  std::uint32_t fresh = piece.mask();
  kept_.for_each_of(key_of_word(piece.word), [&](Kept& kept) {
    const std::uint32_t both = kept.mask & fresh;
    if (both == 0) return;
    fresh &= ~both;
    if (both != kept.mask) {
      rest_.push_back(kept);
      rest_.back().mask &= ~both;
      kept.mask = both;
    }
    store_to(kept, life, where, clock, one_in);
  });
  for (const Kept& rest : rest_) kept_.append(rest);
  rest_.clear();
  if (fresh == 0 || kept_.size() >= k_max_pieces) return;
  const Kept born = {key_of_word(piece.word), clock, where.object, life, 1, fresh};
  lives_[life].stores += born.words();
  kept_.append(born);
}

std::uint32_t LastWriters::load(SiteId site, const Piece& piece, const Where& where,
                                std::uint64_t clock, std::uint64_t weight) {
  std::uint32_t left = piece.mask();
  kept_.for_each_of(key_of_word(piece.word), [&](const Kept& kept) {
    const std::uint32_t both = kept.mask & left;
    if (both == 0 || !in_object_p(kept, where)) return;
    met_.insert(key_of(site, kept.life, age(kept.clock, clock)), weight * count(both));
    left &= ~both;
  });
  return (piece.mask() & ~left) >> piece.word % k_piece;
}

void LastWriters::near(SiteId site, SiteId source, const Where& where,
                       std::uint64_t weight) {
  near_.insert(key_of(site, life_of(source, where.group, where.part), 0), weight);
}

// The chance that a life lasts to the middle of an age, and which site is next. Lives of one field, or
// of arrays, of a group are numbered as well.
void LastWriters::count_chances(double one_in) {
  std::map<std::pair<GroupId, std::uint32_t>, std::uint32_t> fields;
  for (Life& life : lives_) {
    double left = 0, alive = 1, all = 0;
    for (const float n : life.ended) left += n;
    for (unsigned i = 0; i < k_ages; i++) {
      const double dying = left > 0 ? std::min(life.died[i] / left, 1.0) : 0;
      left -= life.ended[i];
      life.died[i] = static_cast<float>(alive * (1 - dying / 2));
      alive *= 1 - dying;
    }
    for (const auto& [next, n] : life.next) all += n;
    for (auto& [next, n] : life.next) n = static_cast<float>(n / all);
    const auto number = static_cast<std::uint32_t>(fields.size());
    life.field = fields.emplace(std::pair(life.group, life.part), number).first->second;
    if (life.field == fields_.size()) fields_.emplace_back();
    life.stores *= one_in;
    fields_[life.field].stores += life.stores;
  }
  sure_.resize(lives_.size());
  sources_.resize(lives_.size());
  places_.resize(lives_.size());
}

// Candidate writers of a word, by the age of its last observed store, with probabilities: that store, its
// usual successor, and the successor's successor.
const LastWriters::Chances& LastWriters::chances_at(std::uint32_t number, unsigned years) {
  const std::uint64_t key = std::uint64_t{number} << k_age_bits | years;
  if (const Chances* known = chances_.find(key)) return *known;
  const Life& life = lives_[number];
  const double alive = std::max(life.alive(years), life.part == k_array ? 0 : k_odd);
  Chances chances;
  add_chance(chances, number, alive);
  const unsigned later = years == 0 ? 0 : years - 1;
  if (alive != 1)
    for (const auto& [next, share] : life.next) {
      const double first = (1 - alive) * share, lasts = lives_[next].alive(later);
      add_chance(chances, next, first * lasts);
      if (lasts == 1) continue;
      for (const auto& [second, part] : lives_[next].next)
        add_chance(chances, second, first * (1 - lasts) * part);
    }
  for (const auto& c : chances) places_[c.first] = 0;
  std::sort(chances.begin(), chances.end());
  return chances_.add(key, chances);
}

void LastWriters::add_chance(Chances& chances, std::uint32_t number, double chance) {
  if (const std::uint32_t place = places_[number]) {
    chances[place - 1].second += chance;
    return;
  }
  chances.emplace_back(number, chance);
  places_[number] = static_cast<std::uint32_t>(chances.size());
}

// How many words of a life a load has surely met, and of all lives of a field.
void LastWriters::add_sure(std::uint32_t life, double words) {
  sure_[life] += words;
  fields_[lives_[life].field].sure += words;
}

// Of what a load meets in the field of a life.
LastWriters::Answer& LastWriters::answer_of(SiteId load, const Life& life) {
  Answer*& answer = fields_[life.field].answer;
  if (!answer) answer = &answers_[{load, life.group, life.part}];
  return *answer;
}

// Of one load.
void LastWriters::count_answers(SiteId load, std::span<const Met> near,
                                std::span<const Met> met, double one_in) {
  const auto all = [one_in](const Sum& words) { return static_cast<double>(words.sum) * one_in; };
  for (const auto& [key, words] : near) add_sure(life_in(key), all(words));
  for (const auto& [key, words] : met)
    add_sure(life_in(key), lives_[life_in(key)].alive(age_in(key)) * all(words));
  const double pseudo = k_unknown * one_in;
  std::vector<std::uint32_t> sources;
  Chances likely;
  for (const auto& [key, all_words] : met) {
    const Life& life = lives_[life_in(key)];
    Field& field = fields_[life.field];
    const auto words = static_cast<double>(all_words.sum);
    // Of a site about which nothing is known the load meets as many words as of others.
    const double unknown = pseudo * (field.stores + one_in) / std::max(field.sure, 1e-6);
    likely.clear();
    double sum = 0;
    for (const auto& [number, chance] : chances_at(life_in(key), age_in(key))) {
      const Life& other = lives_[number];
      if (!program_.may_alias(load, other.site)) continue;
      likely.emplace_back(number, chance * (sure_[number] + pseudo) / (other.stores + unknown));
      sum += likely.back().second;
    }
    if (sum == 0) continue;
    for (const auto& [number, part] : likely) {
      const double share = words * part / sum;
      if (share == 0) continue;
      if (sources_[number] == 0) sources.push_back(number);
      sources_[number] += share;
    }
    field.met += words;
  }
  for (const std::uint32_t number : sources) {
    const Life& life = lives_[number];
    answer_of(load, life).sources.emplace_back(life.site, std::exchange(sources_[number], 0));
  }
  for (const auto& span : {near, met})
    for (const auto& [key, words] : span) {
      const Life& life = lives_[life_in(key)];
      Field& field = fields_[life.field];
      if (field.met != 0) answer_of(load, life).words = field.met;
      sure_[life_in(key)] = field.sure = field.met = 0;
      field.answer = nullptr;
    }
}

const LastWriters::Answer* LastWriters::answer_for(Loads loads) const {
  auto it = answers_.find(loads);
  if (it == answers_.end() && loads.part != k_array && loads.part >= k_field) {
    loads.part -= k_field;
    it = answers_.find(loads);
  }
  return it == answers_.end() ? nullptr : &it->second;
}

void LastWriters::settle(std::uint64_t clock, std::uint64_t one_in) {
  const std::size_t parts = std::max<std::size_t>(kept_.size() / k_settled, 1);
  kept_.for_some(parts, [&](Kept& kept) {
    const auto words = static_cast<double>(parts * kept.words());
    lives_[kept.life].ended[age(kept.clock, clock)] += static_cast<float>(words);
  });
  kept_.release();
  count_chances(static_cast<double>(one_in));
  // In order, so that sums are the same in each run.
  const std::vector<Met> near = near_.sorted(), met = met_.sorted();
  auto n = near.begin();
  for (auto m = met.begin(); m != met.end();) {
    const SiteId load = load_in(m->first);
    const auto later = [load](const Met& x) { return load_in(x.first) > load; };
    n = std::find_if(n, near.end(), [load](const Met& x) { return load_in(x.first) >= load; });
    const auto near_end = std::find_if(n, near.end(), later);
    const auto met_end = std::find_if(m, met.end(), later);
    count_answers(load, {n, near_end}, {m, met_end}, static_cast<double>(one_in));
    n = near_end;
    m = met_end;
  }
}

}  // namespace memprof::backend
