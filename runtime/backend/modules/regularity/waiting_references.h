// waiting_references.h - references of the window that are in no stream, for stream_detector.h.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A new reference A looks for a middle M and a first one F that wait, with A - M = M - F: for
// each M of the window, whether 2M - A waits. In an irregular program nearly all answers are no,
// and there are 99 questions for each reference. So
//
//   * the addresses of each kind lie in a row, in the order of time: the questions are a loop over
//     an array;
//   * a counting filter (Fan, Cao, Almeida, Broder: Summary Cache, 1998) says no for nearly all of
//     them: 4096 counters, at most 256 references that wait;
//   * only after a maybe the hash table of those that wait is asked.
//
// One that stops waiting stays in the row until the row is full or it is too old: the hash table
// knows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace memprof::backend {

class WaitingReferences {
 public:
  struct Reference {
    std::uint64_t address;
    std::uint64_t number = 0;  // of the reference, from 1; 0: there is none
    std::uint32_t section;
    std::uint32_t older, newer;  // in its bucket; k_none: the end
    std::uint8_t store;
    bool waits = false;
  };

  // Places for two windows, because the first element of a new stream may be that old;
  // four buckets for each place, so that most hold one reference at most.
  explicit WaitingReferences(std::uint32_t window)
      : window_(window),
        places_(std::bit_ceil(2 * std::size_t{window})),
        buckets_(4 * places_.size(), k_none),
        shift_(64 - static_cast<unsigned>(std::countr_zero(buckets_.size()))) {
    for (Row& row : rows_) row.entries.resize(2 * places_.size());
  }

  std::size_t places() const { return places_.size(); }

  // Reference NUMBER is the present one: what waits in its place is too old.
  void pass(std::uint64_t number) {
    if (Reference& old = places_[place_of(number)]; old.waits) remove(old);
  }
  // All that will be too old once reference NUMBER was there.
  void pass_to(std::uint64_t number) {
    for (Reference& w : places_)
      if (w.waits && w.number + places_.size() <= number) remove(w);
  }
  void add(std::uint64_t address, std::uint64_t number, bool store, std::uint32_t section) {
    const std::uint32_t place = place_of(number);
    std::uint32_t& newest = buckets_[bucket_of(address, store)];
    places_[place] = {address, number, section, newest, k_none, store, true};
    if (newest != k_none) places_[newest].newer = place;
    newest = place;
    rows_[store].filter[slot_of(address)]++;
    append(rows_[store], {address, number});
  }
  void remove(Reference& w) {
    w.waits = false;
    if (w.older != k_none) places_[w.older].newer = w.newer;
    if (w.newer != k_none)
      places_[w.newer].older = w.older;
    else
      buckets_[bucket_of(w.address, w.store)] = w.older;
    rows_[w.store].filter[slot_of(w.address)]--;
  }
  void clear() {
    for (Reference& w : places_)
      if (w.waits) remove(w);
    for (Row& row : rows_) row.first = row.end = 0;
  }

  // The nearest middle of reference NUMBER, less than a window before it, that has a first one
  // less than a window before the middle, and the nearest of these. False: there is none.
  bool find_pair(std::uint64_t address, bool store, std::uint64_t number, Reference** middle,
                 Reference** first) {
    Row& row = rows_[store];
    while (row.first < row.end && row.entries[row.first].number + window_ <= number) row.first++;
    for (std::uint32_t i = row.end; i-- > row.first;) {
      const Entry& e = row.entries[i];
      const std::uint64_t wanted = 2 * e.address - address;
      if (row.filter[slot_of(wanted)] == 0) [[likely]] continue;
      Reference& m = places_[place_of(e.number)];
      if (!m.waits || m.number != e.number) continue;
      *first = find(wanted, store, e.number);
      if (*first == nullptr) continue;
      *middle = &m;
      return true;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};
  static constexpr std::size_t k_slots = 4096;
  struct Entry {
    std::uint64_t address, number;
  };
  // References of one kind, entries [first, end) of them in the window, oldest first.
  struct Row {
    std::vector<Entry> entries;
    std::uint32_t first = 0, end = 0;
    std::array<std::uint16_t, k_slots> filter{};  // how many that wait have the slot
  };

  static std::uint64_t mixed(std::uint64_t address) { return address * 0x9e3779b97f4a7c15; }
  static std::size_t slot_of(std::uint64_t address) { return mixed(address) >> 52; }
  std::uint32_t bucket_of(std::uint64_t address, bool store) const {
    return static_cast<std::uint32_t>(mixed(address ^ std::uint64_t{store} << 63) >> shift_);
  }
  std::uint32_t place_of(std::uint64_t number) const {
    return static_cast<std::uint32_t>(number & (places_.size() - 1));
  }
  // The nearest of ADDRESS and STORE before reference NUMBER, less than a window before.
  Reference* find(std::uint64_t address, bool store, std::uint64_t number) {
    // Newest first, so that the first match is the nearest one.
    for (std::uint32_t i = buckets_[bucket_of(address, store)]; i != k_none;
         i = places_[i].older) {
      Reference& w = places_[i];
      if (w.number >= number || w.address != address || w.store != store) continue;
      return number - w.number < window_ ? &w : nullptr;
    }
    return nullptr;
  }
  // A row is full when it has twice as many entries as there are places: half of them at most
  // are in the window.
  void append(Row& row, const Entry& entry) {
    if (row.end == row.entries.size()) {
      while (row.first < row.end && row.entries[row.first].number + window_ <= entry.number)
        row.first++;
      std::copy(row.entries.begin() + row.first, row.entries.begin() + row.end,
                row.entries.begin());
      row.end -= row.first;
      row.first = 0;
    }
    row.entries[row.end++] = entry;
  }

  std::uint32_t window_;
  std::vector<Reference> places_;       // a ring of two windows at least
  std::vector<std::uint32_t> buckets_;  // newest place of each
  unsigned shift_;
  std::array<Row, 2> rows_;  // of loads, of stores
};

}  // namespace memprof::backend
