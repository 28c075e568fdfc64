// reducing_map.h - a map whose values are reduced as they come, by many threads.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   ReducingMap<std::uint64_t, Count, NoValue> pairs(workers);
//   pairs.insert(source << 32 | sink);                     // one thread
//   for (const auto& [pair, count] : pairs.sorted()) ...   // exact, in order
//
// A module that meets the same few thousand keys millions of times spends its
// time in the table.  With one worker, insert() goes to the table at once.  With
// W:
//
//   insert   the pair is appended to a stage: one store, no hash
//   spill    a full stage is copied to a buffer.  Another processor had that
//            one last, and a copy asks it for many lines at a time, where single
//            stores would wait for one after the other (twice the time)
//   full     the buffer is queued; if less than W - 1 tasks reduce, one more is
//            started, which takes a table and reduces until nothing is queued
//   wait     when all buffers are queued, the inserting thread reduces one, too
//   sorted   the tables, W at most, are added to the first one
//
// So an insertion costs an append here and a look-up on another processor,
// however many workers there are, and what is queued is bounded.  The price is a
// table per thread that reduces at the same time: keys should be few, as
// compared with insertions.
//
// The table: open addressing, linear probing, at most half full.  One key value
// marks an empty place; that key itself has a place of its own.
//
// Which table a pair goes to depends on the moment; results do not, for the
// reducers of reducers.h that have merge() give the same in any order.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/backend/base/reducers.h"

namespace memprof::backend {

// For other keys than unsigned integers: a specialisation.
template <typename Key>
struct ReducingKey {
  static constexpr Key k_empty = static_cast<Key>(~Key{0});
  static std::uint64_t hash(Key key) {
    const std::uint64_t x = key * 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
  }
};

// Where only the key counts.
struct NoValue {
  operator std::uint64_t() const { return 0; }
};

template <typename Key, typename Reducer>
class ReducingTable {
 public:
  using Traits = ReducingKey<Key>;

  ReducingTable() : slots_(k_initial + k_ahead, Slot{Traits::k_empty, {}}) {}

  // Keys come in no order that the processor could learn, so which of the first
  // places has one is found without a branch.
  template <typename Value>
  void insert(Key key, const Value& value) {
    Slot* slot = &slots_[Traits::hash(key) & mask_];
    for (std::size_t i = 0; i < k_ahead; i++) slot += !(slot->key == key);
    if (!(slot->key == key) || key == Traits::k_empty) [[unlikely]]
      slot = &slot_of(key);
    slot->reducer.insert(value);
  }
  void merge(const ReducingTable& other) {
    other.for_each([this](Key key, const Reducer& r) { slot_of(key).reducer.merge(r); });
  }

  template <typename Fn>
  void for_each(Fn&& fn) const {
    if (empty_) fn(Traits::k_empty, empty_->reducer);
    for (const Slot& slot : slots_)
      if (!(slot.key == Traits::k_empty)) fn(slot.key, slot.reducer);
  }
  std::size_t size() const { return used_ + empty_.has_value(); }

 private:
  struct Slot {
    Key key;
    Reducer reducer;
  };
  static constexpr std::size_t k_initial = 64;
  // As many places after the table stay empty: insert() looks at them.
  static constexpr std::size_t k_ahead = 2;

  // The slot of KEY, wherever it is; made if there is none.
  [[gnu::noinline]] Slot& slot_of(Key key) {
    if (key == Traits::k_empty) {
      if (!empty_) empty_ = Slot{key, {}};
      return *empty_;
    }
    Slot* slot = &find(key);
    if (!(slot->key == key)) {
      if (2 * ++used_ > mask_ + 1) {
        grow();
        slot = &find(key);
      }
      slot->key = key;
    }
    return *slot;
  }
  // The slot of KEY, or the empty one where it would be.
  Slot& find(Key key) {
    std::size_t i = Traits::hash(key) & mask_;
    while (!(slots_[i].key == key) && !(slots_[i].key == Traits::k_empty))
      i = (i + 1) & mask_;
    return slots_[i];
  }
  void grow() {
    std::vector<Slot> old(2 * (mask_ + 1) + k_ahead, Slot{Traits::k_empty, {}});
    old.swap(slots_);
    mask_ = 2 * mask_ + 1;
    for (Slot& slot : old)
      if (!(slot.key == Traits::k_empty)) find(slot.key) = std::move(slot);
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = k_initial - 1, used_ = 0;
  std::optional<Slot> empty_;
};

template <typename Key, typename Reducer, typename Value = std::int64_t>
class ReducingMap {
 public:
  // CAPACITY: pairs in a buffer.
  explicit ReducingMap(unsigned workers = 1, std::size_t capacity = 8192)
      : workers_(workers ? workers : 1), capacity_(capacity) {
    tables_.push_back(std::make_unique<Table>());
    only_ = tables_[0].get();
    if (workers_ == 1) return;
    limit_.emplace(tbb::global_control::max_allowed_parallelism, workers_);
    arena_.emplace(static_cast<int>(workers_ - 1), 0);
    for (unsigned i = 0; i < std::min(workers_, k_most_queued) + 1; i++)
      empty_.emplace_back(new Pair[capacity_]);
    const std::size_t staged = std::min(k_staged, capacity_);
    stage_.reset(new Pair[staged]);
    next_ = stage_.get();
    end_ = next_ + staged;
    renew();
  }
  ~ReducingMap() {
    if (workers_ > 1) flush();
  }
  ReducingMap(const ReducingMap&) = delete;
  ReducingMap& operator=(const ReducingMap&) = delete;

  // Of one thread at a time.
  void insert(Key key, const Value& value = {}) {
    if (workers_ == 1) return only_->insert(key, value);
    *next_++ = {key, value};
    if (next_ == end_) [[unlikely]] spill();
  }

  // All keys in order.  May be followed by more insertions.
  std::vector<std::pair<Key, Reducer>> sorted() {
    if (workers_ > 1) flush();
    while (tables_.size() > 1) {
      tables_[0]->merge(*tables_.back());
      tables_.pop_back();
    }
    std::vector<std::pair<Key, Reducer>> all;
    all.reserve(tables_[0]->size());
    tables_[0]->for_each([&all](Key key, const Reducer& r) { all.emplace_back(key, r); });
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return all;
  }

 private:
  struct Pair {
    Key key;
    [[no_unique_address]] Value value;
  };
  using Table = ReducingTable<Key, Reducer>;
  using Buffer = std::unique_ptr<Pair[]>;
  struct Filled {
    Buffer pairs;
    std::size_t size = 0;
  };
  // More would not fit the caches, and not be faster.
  static constexpr unsigned k_most_queued = 8;
  // Pairs in a stage, which stays in the first cache.
  static constexpr std::size_t k_staged = 256;

  void renew() {
    filling_ = {std::move(empty_.back()), 0};
    empty_.pop_back();
  }

  // The stage is full, or is wanted: it will be empty, and fit the buffer again.
  [[gnu::noinline]] void spill() {
    std::copy(stage_.get(), next_, filling_.pairs.get() + filling_.size);
    filling_.size += static_cast<std::size_t>(next_ - stage_.get());
    next_ = stage_.get();
    if (filling_.size + static_cast<std::size_t>(end_ - next_) > capacity_) hand_over();
  }

  // The filling buffer is full, or is wanted: there will be another one.
  void hand_over() {
    std::unique_lock lock(mutex_);
    full_.push_back(std::move(filling_));
    if (tasks_ < workers_ - 1 && tasks_ < full_.size()) {
      tasks_++;
      lock.unlock();
      arena_->enqueue([this] { work(); });
      lock.lock();
    }
    if (empty_.empty()) reduce_one(lock);
    // What others reduce now comes back in any case.
    changed_.wait(lock, [this] { return !empty_.empty(); });
    renew();
  }

  // A buffer of those that are queued into a table without an owner; LOCK is held
  // before and after.  False if there is none.
  bool reduce_one(std::unique_lock<std::mutex>& lock) {
    if (full_.empty()) return false;
    Filled full = std::move(full_.back());
    full_.pop_back();
    std::unique_ptr<Table> table;
    if (!tables_.empty()) {
      table = std::move(tables_.back());
      tables_.pop_back();
    }
    lock.unlock();
    if (!table) table = std::make_unique<Table>();
    for (const Pair* p = full.pairs.get(); p != full.pairs.get() + full.size; p++)
      table->insert(p->key, p->value);
    lock.lock();
    tables_.push_back(std::move(table));
    empty_.push_back(std::move(full.pairs));
    changed_.notify_one();
    return true;
  }

  // A task: until nothing is queued.
  void work() {
    std::unique_lock lock(mutex_);
    while (reduce_one(lock)) {
    }
    tasks_--;
    changed_.notify_one();
  }

  // All that was inserted is in the tables, and no task is left.
  void flush() {
    spill();
    if (filling_.size) hand_over();
    std::unique_lock lock(mutex_);
    while (reduce_one(lock)) {
    }
    changed_.wait(lock, [this] { return tasks_ == 0; });
  }

  const unsigned workers_;
  const std::size_t capacity_;
  Table* only_ = nullptr;  // of a single worker
  Pair* next_ = nullptr;   // in `stage_'
  Pair* end_ = nullptr;
  Buffer stage_;
  Filled filling_;
  std::mutex mutex_;  // of what follows, up to `tasks_'
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Table>> tables_;  // without an owner
  std::vector<Filled> full_;
  std::vector<Buffer> empty_;
  unsigned tasks_ = 0;  // queued or at work
  // As many workers as asked for, even where there are fewer processors.
  std::optional<tbb::global_control> limit_;
  std::optional<tbb::task_arena> arena_;
};

}  // namespace memprof::backend
