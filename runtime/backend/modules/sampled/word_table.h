// word_table.h - what is known of words of memory: an open hash table.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/backend/base/huge_pages.h"

namespace memprof::backend {

// Entry has a member `word', which is never 0; several may have the same. The table begins small again after each clear(),
// since most bursts are and nearly each load asks it.
template <typename Entry>
class WordTable {
 public:
  // Null if there is none, else one of them.
  Entry* find(std::uint64_t word) {
    Entry& slot = slot_of(word);
    return slot.word == 0 ? nullptr : &slot;
  }
  // The one that was there, or this one; whether it is new.
  std::pair<Entry*, bool> add(const Entry& entry) {
    Entry* slot = &slot_of(entry.word);
    if (slot->word != 0) return {slot, false};
    *slot = entry;
    size_++;
    if (grow()) slot = &slot_of(entry.word);
    return {slot, true};
  }
  // One more, whether there are some of this word or not.
  void append(const Entry& entry) {
    free_slot(entry.word) = entry;
    size_++;
    grow();
  }
  // Calls fn(Entry&) for all of WORD.
  template <typename Fn>
  void for_each_of(std::uint64_t word, Fn&& fn) {
    for (std::size_t i = first_place(word); slots_[i].word != 0; i = (i + 1) & (slots_.size() - 1))
      if (slots_[i].word == word) fn(slots_[i]);
  }
  std::size_t size() const { return size_; }
  void prefetch(std::uint64_t word) const { __builtin_prefetch(&slots_[first_place(word)]); }
  // In no order. AHEAD is called some entries earlier, to prefetch what FN looks at.
  template <typename Ahead, typename Fn>
  void for_each(Ahead&& ahead, Fn&& fn) {
    constexpr std::size_t k_ahead = 16;
    if (size_ == 0) return;
    for (std::size_t i = 0; i < slots_.size(); i++) {
      if (i + k_ahead < slots_.size() && slots_[i + k_ahead].word != 0) ahead(slots_[i + k_ahead]);
      if (slots_[i].word != 0) fn(slots_[i]);
    }
  }
  // Of one in PARTS entries, whichever these are.
  template <typename Fn>
  void for_some(std::size_t parts, Fn&& fn) {
    const std::size_t step = k_together * parts, ahead = 8 * step;
    for (std::size_t i = 0; i < slots_.size(); i += step) {
      if (i + ahead < slots_.size()) {
        __builtin_prefetch(&slots_[i + ahead]);
        __builtin_prefetch(&slots_[i + ahead + k_together - 1]);
      }
      for (std::size_t k = i; k < i + k_together; k++)
        if (slots_[k].word != 0) fn(slots_[k]);
    }
  }
  void clear() {
    if (size_ == 0) return;
    slots_.assign(std::size_t{1} << k_first_bits, {});
    shift_ = 64 - k_first_bits;
    size_ = 0;
  }
  // The same, and others may have the memory.
  void release() {
    clear();
    slots_.shrink_to_fit();
  }

 private:
  using Slots = std::vector<Entry, HugePages<Entry>>;
  static constexpr unsigned k_first_bits = 8;
  static constexpr std::uint64_t k_together = 4;

  // Words that lie together are wanted together, so four of them do. The uppermost bits of the
  // product depend on all bits of a word: those of nodes are multiples of a power of two.
  std::size_t first_place(std::uint64_t word) const {
    const std::uint64_t hash = (word & ~(k_together - 1)) * 0x9e3779b97f4a7c15u >> shift_;
    return (hash & ~(k_together - 1)) | (word & (k_together - 1));
  }
  // Where it is, or will be.
  Entry& slot_of(std::uint64_t word) {
    std::size_t i = first_place(word);
    while (slots_[i].word != 0 && slots_[i].word != word) i = (i + 1) & (slots_.size() - 1);
    return slots_[i];
  }
  // After all of them.
  Entry& free_slot(std::uint64_t word) {
    std::size_t i = first_place(word);
    while (slots_[i].word != 0) i = (i + 1) & (slots_.size() - 1);
    return slots_[i];
  }
  // If it is more than half full; whether entries have moved.
  bool grow() {
    if (size_ * 2 <= slots_.size()) return false;
    Slots old(slots_.size() * 2);
    old.swap(slots_);
    shift_--;
    for (const Entry& e : old)
      if (e.word != 0) free_slot(e.word) = e;
    return true;
  }

  Slots slots_ = Slots(std::size_t{1} << k_first_bits);
  unsigned shift_ = 64 - k_first_bits;
  std::size_t size_ = 0;
};

}  // namespace memprof::backend
