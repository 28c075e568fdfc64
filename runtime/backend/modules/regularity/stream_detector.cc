// stream_detector.cc - finds arithmetic progressions in a sequence of addresses.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/regularity/stream_detector.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace memprof::backend {

// Places for two windows, because the first element of a new stream may be that old;
// four buckets for each place, so that most hold one reference at most.
StreamDetector::StreamDetector(std::uint32_t window) : window_(window) {
  const std::size_t places = std::bit_ceil(2 * std::size_t{window});
  places_.resize(places);
  buckets_.assign(4 * places, k_none);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(buckets_.size()));
}

unsigned StreamDetector::refer(std::uint64_t address, bool store, std::uint32_t section) {
  now_++;
  // Who was in this place has left the window, and the one that follows it.
  if (Waiting& old = places_[place_of(now_)]; old.waits) stop_waiting(old);
  if (const auto* entry = expected_.find(address, store); entry != nullptr) {
    stream_ = entry->stream;
    take(stream_);
    Stream& s = streams_[stream_];
    s.gaps += now_ - s.last == s.gap;
    s.length++;
    s.last = now_;
    expect(stream_);
    return 1;
  }
  if (begin(address, store, section)) return 3;
  wait(address, store, section);
  return 0;
}

void StreamDetector::expect(std::uint32_t stream) {
  const Stream& s = streams_[stream];
  next_[stream] = expected_.put(s.expected(), s.store, stream);
}

// STREAM, the first of those that expect its address, no longer does.
void StreamDetector::take(std::uint32_t stream) {
  const Stream& s = streams_[stream];
  ExpectedStreams::Entry* entry = expected_.find(s.expected(), s.store);
  if (next_[stream] == k_no_stream)
    expected_.remove(entry);
  else
    entry->stream = next_[stream];
}

void StreamDetector::repeat(const std::vector<std::uint32_t>& streams, std::uint64_t count) {
  if (count == 0) return;
  const std::uint64_t period = streams.size(), steps = period * count;
  for (Waiting& w : places_)
    if (w.waits && w.number + places_.size() <= now_ + steps) stop_waiting(w);
  for (const std::uint32_t stream : streams) take(stream);
  for (std::size_t i = 0; i < streams.size(); i++) {
    Stream& s = streams_[streams[i]];
    const std::uint64_t first = now_ + i + 1;
    s.gaps += (first - s.last == s.gap) + (count - 1) * (period == s.gap);
    s.length += count;
    s.last = first + period * (count - 1);
    expect(streams[i]);
  }
  now_ += steps;
}

bool StreamDetector::begin(std::uint64_t address, bool store, std::uint32_t section) {
  const std::uint64_t oldest = now_ < window_ ? 1 : now_ - (window_ - 1);
  for (std::uint64_t number = now_ - 1; number >= oldest; number--) {
    Waiting& middle = places_[place_of(number)];
    if (!middle.waits || middle.store != store) continue;
    const std::uint64_t step = address - middle.address;
    Waiting* first = find(middle.address - step, store, number);
    if (first == nullptr) continue;
    joined_[0] = first->section;
    joined_[1] = middle.section;
    stream_ = static_cast<std::uint32_t>(streams_.size());
    const std::uint64_t gap = number - first->number;
    streams_.push_back({first->address, static_cast<std::int64_t>(step), 3, now_, gap,
                        1 + std::uint64_t{now_ - number == gap}, section, store});
    next_.push_back(k_no_stream);
    stop_waiting(*first);
    stop_waiting(middle);
    expect(stream_);
    return true;
  }
  return false;
}

StreamDetector::Waiting* StreamDetector::find(std::uint64_t address, bool store,
                                              std::uint64_t number) {
  // Newest first, so that the first match is the nearest one.
  for (std::uint32_t i = buckets_[bucket_of(address, store)]; i != k_none;
       i = places_[i].older) {
    Waiting& w = places_[i];
    if (w.number >= number || w.address != address || w.store != store) continue;
    return number - w.number < window_ ? &w : nullptr;
  }
  return nullptr;
}

void StreamDetector::wait(std::uint64_t address, bool store, std::uint32_t section) {
  const std::uint32_t place = place_of(now_);
  std::uint32_t& newest = buckets_[bucket_of(address, store)];
  places_[place] = {address, now_, section, newest, k_none, store, true};
  if (newest != k_none) places_[newest].newer = place;
  newest = place;
}

void StreamDetector::stop_waiting(Waiting& w) {
  w.waits = false;
  if (w.older != k_none) places_[w.older].newer = w.newer;
  if (w.newer != k_none)
    places_[w.newer].older = w.older;
  else
    buckets_[bucket_of(w.address, w.store)] = w.older;
}

std::vector<StreamDetector::Stream> StreamDetector::keep_newest(std::size_t kept) {
  std::vector<Stream> others = std::move(streams_);
  std::sort(others.begin(), others.end(),
            [](const Stream& a, const Stream& b) { return a.last < b.last; });
  const auto first = others.end() - static_cast<std::ptrdiff_t>(std::min(kept, others.size()));
  streams_.assign(first, others.end());
  others.erase(first, others.end());
  next_.assign(streams_.size(), k_no_stream);
  expected_.clear();
  // The oldest first, so that the newest comes first where several expect one address.
  for (std::uint32_t i = 0; i < streams_.size(); i++) expect(i);
  return others;
}

void StreamDetector::interrupt() {
  for (Waiting& w : places_) w.waits = false;
  std::fill(buckets_.begin(), buckets_.end(), k_none);
  expected_.clear();
}

}  // namespace memprof::backend
