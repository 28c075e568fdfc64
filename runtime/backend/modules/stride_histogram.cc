// stride_histogram.cc - what is rare when strides are counted.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/stride_histogram.h"

namespace memprof::backend {

// A stride has up to two slots, and counts in the map beside them: the slot of
// the executions across objects, else the other one, speaks for both.
std::vector<StrideEntry> StrideHistogram::entries() const {
  std::vector<StrideEntry> all;
  all.reserve(slots_used_ + large_.size());
  for (const auto& [stride, counts] : large_) {
    const bool small = small_p(stride);
    const std::uint64_t across = counts[0] + (small ? count_of(key_of(stride, false)) : 0);
    const std::uint64_t within = counts[1] + (small ? count_of(key_of(stride, true)) : 0);
    all.push_back({stride, across + within, within});
  }
  for (const Slot& slot : slots_) {
    if (slot.count == 0) continue;
    const std::int64_t stride = slot.key >> 1;
    if (!large_.empty() && large_.contains(stride)) continue;
    const std::uint64_t twin = count_of(slot.key ^ 1);
    if ((slot.key & 1) == 0)
      all.push_back({stride, slot.count + twin, twin});
    else if (twin == 0)
      all.push_back({stride, slot.count, slot.count});
  }
  return all;
}

StrideHistogram StrideHistogram::scaled(std::uint64_t numerator, std::uint64_t denominator) const {
  StrideHistogram result;
  result.open();
  const auto share = [&](std::uint64_t count) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(count) * numerator /
                                      denominator);
  };
  for (const StrideEntry& e : entries())
    if (share(e.count) != 0) result.add(e.stride, share(e.count), share(e.within));
  result.repeats = share(repeats);
  result.other = share(other);
  result.other_within = share(other_within);
  return result;
}

bool StrideHistogram::known(std::int64_t stride, bool within) {
  if (large_.contains(stride)) return true;
  return small_p(stride) &&
         slot(key_of(stride, within)).count != 0;
}

// Whether a stride that has no count yet in its place may have one.
bool StrideHistogram::take_place(std::int64_t stride, bool within) {
  if (known(stride, !within)) return true;
  if (used_ == k_max_distinct) return false;
  if (++used_ < k_max_distinct) return true;
  filter_.resize(1024);
  const auto note = [this](std::int64_t s) {
    filter_[filter_bit(s) / 64] |= std::uint64_t{1} << filter_bit(s) % 64;
  };
  note(stride);
  for (const StrideEntry& e : entries()) note(e.stride);
  return true;
}

bool StrideHistogram::add_new(std::int64_t stride, bool within, std::uint32_t count) {
  if (!take_place(stride, within)) return false;
  if (++slots_used_ * 4 > slots_.size() * 3) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    shift_--;
    for (const Slot& s : old)
      if (s.count != 0) slot(s.key) = s;
  }
  const std::int32_t key = key_of(stride, within);
  slot(key) = {key, count};
  return true;
}

bool StrideHistogram::add_large(std::int64_t stride, bool within, std::uint64_t count) {
  if (!known(stride, within) && !take_place(stride, within)) return false;
  large_[stride][within] += count;
  return true;
}

}  // namespace memprof::backend
