// object_resolver.h - which object each access goes to, and the columns of a batch.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A site goes on with the target of its last access as long as that is the same object: one
// compare. Where it is not, the object is looked up:
//
//     site 7    A + 0   A + 8   A + 16  | B + 0   B + 8
//               look-up                   look-up             column of 7: five items, two targets
//
// Small objects are not kept per site: to look one up costs as much as finding out that
// the next access goes to another one. They are kept where a site finds one again and again
// (ObjectManager::found_again). The object that was looked up last is known for all sites,
// since a walk over nodes mostly accesses each several times.
//
// Where no module reads columns, there are none, and no object is looked up but for ranges.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/backend/decode/batch_writer.h"
#include "runtime/backend/decode/decode_counts.h"
#include "runtime/backend/decode/decode_limits.h"
#include "runtime/backend/event/column_writer.h"
#include "runtime/backend/program/group_table.h"
#include "runtime/backend/program/object_manager.h"

namespace memprof::backend {

class ObjectResolver {
 public:
  ObjectResolver(BatchWriter& out, StreamCounts& counts)
      : out_(out), counts_(counts), objects_(groups_) {}

  void open(Batch& batch) {
    columns_.open(batch);
    new_epoch();
  }
  // Call it before BATCH is read.
  void finish(Batch& batch);
  // No module reads the columns of the batches to come.
  void leave_out_columns() {
    keeps_columns_ = false;
    groups_.forget_accesses();
  }
  bool keeps_columns() const { return keeps_columns_; }
  // Most accesses go to another object than the last one of their site. In a heap that no cache
  // holds it is worth while to fetch objects ahead.
  bool wanders() const { return wanders_; }
  bool looks_ahead() const { return looks_ahead_; }
  // Fetches the objects of the records from P to END, of which the first has WORDS words.
  void prefetch(const std::uint64_t* p, std::size_t words, const std::uint64_t* end) const;

  // The events that follow are of THREAD.
  void set_thread(std::uint32_t thread) {
    if (thread == out_.thread()) return;
    out_.start_thread(thread);
    new_epoch();
  }
  // Some objects may have been born or have died.
  void note_objects() {
    epoch_ = epochs_ + objects_.epoch();
    recent_ = {};
  }

  // An access is in the range that its site has kept if the epoch is that of the site's state.
  std::uint32_t epoch() const { return epoch_; }
  Columns::State* states() { return &columns_[k_no_site]; }
  Columns& columns() { return columns_; }
  // The executions of ENTRY go on with what lies at ADDRESS. False: there is no memory.
  bool retarget(const ColumnEntry& entry, Columns::State& s, std::uint64_t address);
  // The same, if that is the object that was looked up last.
  bool goes_with_recent(const ColumnEntry& entry, Columns::State& s, std::uint64_t address);

  // An item for one access of WIDTH > 0 bytes. False: there is no memory.
  bool put(SiteId site, std::uint64_t address, std::uint64_t width, std::uint32_t time);
  // The same, where memory is.
  void put_there(SiteId site, std::uint64_t address, std::uint64_t width);
  // The same for what accesses no memory.
  void put_nothing(SiteId site, std::uint64_t address, std::uint32_t time);
  // The access NUMBER of a range goes into the column of its site, and its time passes.
  void put_range(std::uint32_t number);
  // The same; the site has a column, and time does not pass.
  void put_range_item(std::uint32_t number, Columns::State& s, std::uint32_t time);

  enum class Fit { whole, parts, nonsense };
  // Whether all executions of ACCESS lie in one object, or in none; sets its object.
  Fit find_object(RangeAccess& access);
  // Whether they lie in one object or none, however wide a single ACCESS is; sets its object.
  bool in_one_object(RangeAccess& access);
  static void set_object(RangeAccess& access, const Object& object) {
    access.base = object.base;
    access.group = object.group;
    access.object = object.serial;
    access.object_bytes = object.short_size();
  }

  ObjectManager& objects() { return objects_; }
  const ObjectManager& objects() const { return objects_; }
  GroupTable& groups() { return groups_; }

 private:
  // Events per retarget with which blocks wander, and with which it is worth while to look ahead;
  // how many objects the caches have room for anyway.
  static constexpr std::size_t k_wandering = 2, k_few_retargets = 8, k_few_objects = 8192;

  // Forget the targets of all sites.
  void new_epoch() {
    epochs_++;
    note_objects();
  }
  void retarget(SiteId site, Columns::State& s, std::uint64_t address, std::uint64_t width);
  void retarget(SiteId site, Columns::State& s, Object& object, std::uint64_t width);
  void no_target(SiteId site, Columns::State& s, std::uint64_t width);
  void keep(Columns::State& s, Object& object, std::uint64_t width);
  // It keeps no range of OBJECT, which was its last target or not.
  void keep_none(Columns::State& s, Object& object, bool again) {
    s.size = 0;
    s.base = again ? s.base + 1 : 0;
    if (again) objects_.found_again(object, s.base);
  }
  // Its group learns of the items of the site that it does not know of.
  void credit(Columns::State& s) {
    const std::uint32_t n = columns_.items(s);
    groups_[s.group].accesses += std::uint64_t{n - s.credited} * (1 + s.covered);
    s.credited = n;
  }

  BatchWriter& out_;
  StreamCounts& counts_;
  GroupTable groups_;
  ObjectManager objects_;
  Columns columns_;
  std::uint32_t epochs_ = 0, epoch_ = 0;  // of what columns_ knows of targets
  // The small object that was looked up last, and its target in the batch.
  struct Recent {
    std::uint64_t base = 0, size = 0, width = 0;
    Object* object = nullptr;
    GroupId group = 0;
    std::uint32_t target = 0;
  } recent_;
  std::size_t retargets_ = 0;  // since the last batch
  bool keeps_columns_ = true;
  bool wanders_ = false, looks_ahead_ = false;
};

[[gnu::always_inline]] inline bool ObjectResolver::goes_with_recent(const ColumnEntry& entry,
                                                                    Columns::State& s,
                                                                    std::uint64_t address) {
  if (address - recent_.base >= recent_.size || recent_.width != entry.width) return false;
  retargets_++;
  columns_.begin(entry.site, s);
  if (s.group != recent_.group) [[unlikely]] credit(s);
  const bool again = columns_.share_target(s, recent_.group, recent_.target);
  keep_none(s, *recent_.object, again);
  return true;
}

// Programs that walk from object to object miss the caches, and so does the look-up of
// their objects. Which words of the records to come are addresses is not asked: nearly all
// are. First the places of objects are fetched, then, nearer, they themselves.
inline void ObjectResolver::prefetch(const std::uint64_t* p, std::size_t words,
                                     const std::uint64_t* end) const {
  constexpr std::size_t k_place_words = 64, k_object_words = 32;  // ahead
  if (static_cast<std::size_t>(end - p) < k_place_words + words) return;
  for (std::size_t i = 0; i < words; i++) {
    objects_.prefetch_place(p[k_place_words + i]);
    objects_.prefetch_object(p[k_object_words + i]);
  }
}

}  // namespace memprof::backend
