// object_resolver.cc - which object each access goes to, and the columns of a batch.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/object_resolver.h"

namespace memprof::backend {

void ObjectResolver::finish(Batch& batch) {
  const std::size_t events = batch.events.size();
  looks_ahead_ = retargets_ * k_few_retargets > events && objects_.live() > k_few_objects;
  wanders_ = looks_ahead_ || retargets_ * k_wandering > events;
  retargets_ = 0;
  columns_.finish(batch, [this](Column&, Columns::State& s) { credit(s); });
}

void ObjectResolver::no_target(SiteId site, Columns::State& s, std::uint64_t width) {
  columns_.begin(site, s);
  credit(s);
  s.size = 0;
  columns_.set_target(s, {0, width, 0, 0, out_.thread()});
}

[[gnu::always_inline]] inline void ObjectResolver::retarget(SiteId site, Columns::State& s,
                                                            Object& object, std::uint64_t width) {
  retargets_++;
  columns_.begin(site, s);
  if (s.group != object.group) [[unlikely]] credit(s);
  const bool keeps = object.worth_caching();
  if (keeps) keep(s, object, width);
  const bool again =
      columns_.set_target(s, {object.base, width, object.group, object.serial, out_.thread(),
                              object.short_size()});
  if (keeps) return;
  keep_none(s, object, again);
  recent_ = {object.base, object.size(), width, &object, object.group, s.target};
}

// Accesses of WIDTH bytes to OBJECT need no look-up while the epoch lasts.
[[gnu::noinline]] void ObjectResolver::keep(Columns::State& s, Object& object,
                                            std::uint64_t width) {
  const std::uint64_t size = object.size();
  s.size = 0;
  if (size < width) return;
  objects_.mark_cached(object);
  s.base = object.base;
  s.size = size - width + 1;
  s.epoch = epoch_;
}

void ObjectResolver::retarget(SiteId site, Columns::State& s, std::uint64_t address,
                              std::uint64_t width) {
  if (Object* object = objects_.find(address)) [[likely]]
    retarget(site, s, *object, width);
  else
    no_target(site, s, width);
}

[[gnu::flatten]] bool ObjectResolver::retarget(const ColumnEntry& entry, Columns::State& s,
                                               std::uint64_t address) {
  if (address >= k_user_end - entry.width) [[unlikely]] return false;
  retarget(entry.site, s, address, entry.width);
  return true;
}

bool ObjectResolver::put(SiteId site, std::uint64_t address, std::uint64_t width,
                         std::uint32_t time) {
  if (address >= k_user_end - width) {
    counts_.beyond++;
    put_nothing(site, address, time);
    return false;
  }
  Columns::State& s = columns_[site];
  retarget(site, s, address, width);
  columns_.put(site, s, {address, time, s.target});
  return true;
}

void ObjectResolver::put_there(SiteId site, std::uint64_t address, std::uint64_t width) {
  Columns::State& s = columns_[site];
  if (address - s.base >= s.size || s.epoch != epoch_ ||
      out_.batch().targets[s.target].width != width)
    retarget(site, s, address, width);
  columns_.put(site, s, {address, out_.batch_time(), s.target});
}

void ObjectResolver::put_nothing(SiteId site, std::uint64_t address, std::uint32_t time) {
  Columns::State& s = columns_[site];
  no_target(site, s, 0);
  columns_.put(site, s, {address, time, s.target});
  s.credited++;
}

void ObjectResolver::put_range(std::uint32_t number) {
  const RangeAccess& access = out_.batch().accesses[number];
  if (access.count == 0) return;
  if (keeps_columns_) {
    Columns::State& s = columns_[access.site];
    columns_.begin(access.site, s);
    put_range_item(number, s, out_.batch_time());
  }
  out_.pass_time(access.executions());
}

void ObjectResolver::put_range_item(std::uint32_t number, Columns::State& s, std::uint32_t time) {
  const RangeAccess& access = out_.batch().accesses[number];
  groups_[access.group].accesses += access.executions() * (1 + s.covered);
  columns_.put_range(access.site, s, {access.address, time, k_range_item | number});
  s.credited++;
}

ObjectResolver::Fit ObjectResolver::find_object(RangeAccess& access) {
  if (access.count == 0 || access.width == 0) return Fit::whole;
  const auto [low, high] = access.extent();
  if (access.width > k_max_width) return Fit::nonsense;
  if (low < 0 || high > k_user_end) return Fit::parts;
  const auto begin = static_cast<std::uint64_t>(low);
  const auto end = static_cast<std::uint64_t>(high);
  if (access.width >= k_long_width) return Fit::parts;
  const Object* object = objects_.find(begin);
  if (!object) return objects_.nothing_in(begin, end) ? Fit::whole : Fit::parts;
  if (end > object->end()) return Fit::parts;
  set_object(access, *object);
  return Fit::whole;
}

bool ObjectResolver::in_one_object(RangeAccess& access) {
  constexpr std::uint64_t k_word = 8;
  RangeAccess narrow = access.count == 1 && access.width >= k_long_width
                           ? access.in_words(k_word)
                           : access;
  if (find_object(narrow) != Fit::whole) return false;
  access.base = narrow.base;
  access.group = narrow.group;
  access.object = narrow.object;
  access.object_bytes = narrow.object_bytes;
  return true;
}

}  // namespace memprof::backend
