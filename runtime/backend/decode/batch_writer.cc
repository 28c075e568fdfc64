// batch_writer.cc - the batch that is being filled: room, limits and sizes.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/batch_writer.h"

#include <algorithm>

namespace memprof::backend {

void BatchWriter::open(Batch& batch, std::uint64_t clock) {
  batch_ = &batch;
  const std::size_t filled = batch.events.size();
  if (filled == 0) {
    batch.time = time_;
    batch.clock = clock;
  }
  // Room for everything that a site record can represent.
  batch.events.resize(std::max(filled, batch_events_) + k_overshoot);
  next_ = batch.events.data() + filled;
  room_end_ = batch.events.data() + batch.events.size();
  event_limit_ = batch.events.data() + batch_events_;
  const std::size_t words = batch.words.size();
  batch.words.resize(std::max(words, batch_words()) + k_word_overshoot);
  next_word_ = batch.words.data() + words;
  word_limit_ = batch.words.data() + batch_words();
  time_limit_ = batch.time + k_batch_time;
  limit_accesses();
}

void BatchWriter::close() {
  batch_->end = time_;
  batch_->words.resize(filled_words());
  batch_->events.resize(filled());
}

void BatchWriter::grow() {
  const std::size_t n = filled();
  batch_->events.resize(n);
  batch_->events.resize(2 * n);
  next_ = batch_->events.data() + n;
  room_end_ = batch_->events.data() + batch_->events.size();
  event_limit_ = batch_->events.data() + batch_events_;
}

void BatchWriter::choose_size(const Batch& batch) {
  constexpr std::size_t k_short = 30, k_long = 200;
  const std::size_t columns = batch.columns.size(), words = batch.words.size();
  if (words < batch_words() / 2) return;
  if (columns * k_short > words && batch_events_ < k_batch_events * k_largest)
    batch_events_ *= 2;
  else if (columns * k_long < words && batch_events_ > k_batch_events)
    batch_events_ /= 2;
}

void BatchWriter::emit_blocks(const BlockSeries& series) {
  while (static_cast<std::size_t>(room_end_ - next_) < series.count) grow();
  const std::size_t first = filled_words(), words = series.desc.words;
  for (std::size_t i = 0; i < series.count; i++)
    next_[i] = block_event(series.desc, first + i * words);
  next_ += series.count;
  next_word_ += series.count * words;
}

}  // namespace memprof::backend
