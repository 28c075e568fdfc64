// decoder_targets.cc - from records to batches: which object an access goes to.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A site, or a convoy of sites (co_access_groups.h), goes on with the target of its last access as
// long as that is the same object. Where it is not, the object is looked up here, and a
// convoy whose members are not in one object is dissolved.
#include <algorithm>

#include "runtime/backend/decode/decoder.h"

namespace memprof::backend {

void Decoder::no_target(SiteId site, Columns::State& s, std::uint64_t width) {
  columns_.begin(site, s);
  credit(s);
  s.size = 0;
  columns_.set_target(s, {0, width, 0, 0, thread_});
}

// All its members have the object, first bytes in [LOW, LOW + EXTENT) of the address.
[[gnu::always_inline]] inline void Decoder::retarget(SiteId site, Columns::State& s,
                                                     Object& object, std::uint64_t width,
                                                     std::uint64_t low, std::uint64_t extent) {
  retargets_++;
  columns_.begin(site, s);
  if (s.group != object.group) [[unlikely]] credit(s);
  const bool keeps = object.worth_caching();
  if (keeps) keep(s, object, low, extent);
  const bool again =
      columns_.set_target(s, {object.base, width, object.group, object.serial, thread_,
                              object.short_size()});
  if (keeps) return;
  keep_none(s, object, again);
  recent_ = {object.base, object.size(), width, &object, object.group, s.target};
}

[[gnu::noinline]] void Decoder::keep(Columns::State& s, Object& object, std::uint64_t low,
                                     std::uint64_t extent) {
  const std::uint64_t size = object.size();
  s.size = 0;
  if (size < extent) return;
  objects_.mark_cached(object);
  s.base = object.base - low;
  s.size = size - extent + 1;
  s.epoch = epoch_;
}

void Decoder::retarget(SiteId site, Columns::State& s, std::uint64_t address,
                       std::uint64_t width) {
  if (Object* object = objects_.find(address)) [[likely]]
    retarget(site, s, *object, width, 0, width);
  else
    no_target(site, s, width);
}

// The executions of ENTRY go on with what lies at ADDRESS, or in its convoy. False: there
// is no memory, or the members of the convoy are not in one object.
[[gnu::flatten]] bool Decoder::retarget(const ColumnEntry& entry, Columns::State& s,
                                        std::uint64_t address) {
  if (entry.convoy != 0) [[unlikely]] return retarget(units_.convoys()[entry.convoy], s, address);
  if (address >= k_user_end - entry.width) [[unlikely]] return false;
  retarget(entry.site, s, address, entry.width);
  return true;
}

[[gnu::noinline]] bool Decoder::retarget(const Convoy& convoy, Columns::State& s, std::uint64_t address) {
  const Convoy::Member& leader = convoy.members[0];
  const std::uint64_t first = address + convoy.low;
  if (first >= k_user_end - convoy.bytes) return false;
  Object* object = objects_.find(first);
  if (!object) {
    if (!objects_.nothing_in(first, first + convoy.extent)) return false;
    no_target(leader.site, s, leader.width);
    return true;
  }
  if (first + convoy.extent > object->end()) return false;
  retarget(leader.site, s, *object, leader.width, convoy.low, convoy.extent);
  return true;
}

// An item for one access of WIDTH > 0 bytes. False: there is no memory.
bool Decoder::put(SiteId site, std::uint64_t address, std::uint64_t width, std::uint32_t time) {
  if (address >= k_user_end - width) {
    counts_.corrupt++;
    put_nothing(site, address, time);
    return false;
  }
  Columns::State& s = columns_[site];
  retarget(site, s, address, width);
  columns_.put(site, s, {address, time, s.target});
  return true;
}

// The same for what accesses no memory.
void Decoder::put_nothing(SiteId site, std::uint64_t address, std::uint32_t time) {
  Columns::State& s = columns_[site];
  no_target(site, s, 0);
  columns_.put(site, s, {address, time, s.target});
  s.credited++;
}

// The members of convoy NUMBER have columns of their own, from the start of the batch on.
void Decoder::dissolve(std::uint32_t number) {
  if (!units_.convoys().whole_p(number)) return;
  units_.convoys().dissolve(number);
  const Convoy& convoy = units_.convoys()[number];
  Columns::State& s = columns_[convoy.leader()];
  if (columns_.items(s) != 0) credit(s);
  s.companions = 0;
  batch_->dissolved.push_back(&convoy);
  if (columns_.items(s) == 0) return;
  const auto it = std::find_if(batch_->columns.begin(), batch_->columns.end(),
                               [&](const Column& c) { return c.site == convoy.leader(); });
  const Column column{convoy.leader(), columns_.items(s), it->first, nullptr};
  for (const Convoy::Member& m : convoy.followers()) {
    Columns::State& own = columns_[m.site];
    columns_.begin(m.site, own);
    Batch::for_items(column, [&](const Item& item) {
      const Target t = batch_->targets[item.target];
      columns_.set_target(own, {t.base, m.width, t.group, t.object, t.thread, t.object_bytes});
      columns_.put(m.site, own, {item.address + m.offset, item.time + m.time, own.target});
    });
    own.credited = columns_.items(own);
    own.size = 0;
  }
}

}  // namespace memprof::backend
