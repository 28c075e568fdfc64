// stream_detector.cc - finds arithmetic progressions in a sequence of addresses.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/regularity/stream_detector.h"

#include <algorithm>
#include <utility>

namespace memprof::backend {

unsigned StreamDetector::refer(std::uint64_t address, bool store, std::uint32_t section) {
  now_++;
  waiting_.pass(now_);
  while (auto* const entry = expected_.find(address, store)) {
    stream_ = entry->stream;
    Stream& s = streams_[stream_];
    if (now_ - s.last > life_) {
      take(entry);  // it has ended
      continue;
    }
    if (s.step != 0) take(entry);  // else it expects the same again
    s.gaps += now_ - s.last == s.gap;
    s.length++;
    s.last = now_;
    if (s.step != 0) expect(stream_);
    return 1;
  }
  if (begin(address, store, section)) return 3;
  waiting_.add(address, now_, store, section);
  return 0;
}

void StreamDetector::expect(std::uint32_t stream) {
  const Stream& s = streams_[stream];
  next_[stream] = expected_.put(s.expected(), s.store, stream);
}

// The first of those that expect its address no longer does.
void StreamDetector::take(ExpectedStreams::Entry* entry) {
  if (const std::uint32_t next = next_[entry->stream]; next == k_no_stream)
    expected_.remove(entry);
  else
    entry->stream = next;
}

// It may not be the first one of those that expect its address.
void StreamDetector::drop(std::uint32_t stream) {
  ExpectedStreams::Entry* const entry = expected_.find(streams_[stream].expected(), streams_[stream].store);
  if (entry->stream == stream) return take(entry);
  std::uint32_t before = entry->stream;
  while (next_[before] != stream) before = next_[before];
  next_[before] = next_[stream];
}

void StreamDetector::repeat(std::span<const std::uint32_t> streams, std::uint64_t count) {
  if (count == 0) return;
  const std::uint64_t period = streams.size(), steps = period * count;
  waiting_.pass_to(now_ + steps);
  const auto last_p = [&](std::size_t i) {
    return std::find(streams.begin() + static_cast<std::ptrdiff_t>(i) + 1, streams.end(),
                     streams[i]) == streams.end();
  };
  for (std::size_t i = 0; i < period; i++)
    if (last_p(i)) drop(streams[i]);
  for (std::size_t i = 0; i < period; i++) {
    Stream& s = streams_[streams[i]];
    const std::uint64_t number = now_ + i + 1;
    s.gaps += count * (number - s.last == s.gap);
    s.length += count;
    s.last = number;
  }
  now_ += steps;
  // In the order in which they were modified last.
  for (std::size_t i = 0; i < period; i++)
    if (last_p(i)) {
      streams_[streams[i]].last += steps - period;
      expect(streams[i]);
    }
}

bool StreamDetector::begin(std::uint64_t address, bool store, std::uint32_t section) {
  WaitingReferences::Reference *middle, *first;
  if (!waiting_.find_pair(address, store, now_, &middle, &first)) return false;
  joined_[0] = first->section;
  joined_[1] = middle->section;
  stream_ = static_cast<std::uint32_t>(streams_.size());
  const std::uint64_t gap = middle->number - first->number;
  number_[0] = first->number;
  number_[1] = middle->number;
  streams_.push_back({first->address, static_cast<std::int64_t>(address - middle->address), 3,
                      now_, now_, gap, 1 + std::uint64_t{now_ - middle->number == gap}, section, store});
  next_.push_back(k_no_stream);
  waiting_.remove(*first);
  waiting_.remove(*middle);
  expect(stream_);
  return true;
}

std::vector<StreamDetector::Stream> StreamDetector::take_ended() {
  std::vector<Stream> all = std::move(streams_);
  const auto live = std::partition(all.begin(), all.end(),
                                   [this](const Stream& s) { return now_ - s.last > life_; });
  std::sort(live, all.end(), [](const Stream& a, const Stream& b) { return a.last < b.last; });
  streams_.assign(live, all.end());
  all.erase(live, all.end());
  next_.assign(streams_.size(), k_no_stream);
  expected_.clear();
  // The oldest first, so that the newest comes first where several expect one address.
  for (std::uint32_t i = 0; i < streams_.size(); i++) expect(i);
  return all;
}

void StreamDetector::interrupt() {
  waiting_.clear();
  expected_.clear();
}

}  // namespace memprof::backend
