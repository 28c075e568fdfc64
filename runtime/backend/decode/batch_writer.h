// batch_writer.h - the batch that is being filled: its events, words and time.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Events are written into room that was made beforehand, so that one costs a store of 16 bytes
// and an addition. A batch is full when it has enough events, words of blocks, accesses of
// ranges, or time; the record that fills it may go beyond:
//
//     events    | ... ... ... | ... |            |
//               0       event_limit_  next_     room_end_
//
// If a program executes many sites and their columns are short, modules look at the
// state of a site for few items each time. Batches are then up to k_largest times as large.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/backend/event/batch.h"
#include "runtime/backend/event/iteration_blocks.h"
#include "runtime/backend/stream/run_records.h"

namespace memprof::backend {

class BatchWriter {
 public:
  static constexpr std::size_t k_batch_events = 2048;
  static constexpr std::size_t k_batch_words = 8192;
  static constexpr std::size_t k_largest = 8;
  static constexpr std::size_t k_window_uses = 8192;
  // Accesses per batch, with those of ranges: see Item::time.
  static constexpr std::uint64_t k_batch_time = std::uint64_t{1} << 31;

  // Goes on with BATCH. CLOCK: when the burst began that an empty one will be of.
  void open(Batch& batch, std::uint64_t clock);
  void close();
  // Chooses the size of the batches after BATCH, if that is full.
  void choose_size(const Batch& batch);

  Batch& batch() { return *batch_; }
  // One without events has no time yet: it may be that of its last use.
  bool full(const Batch& batch) const {
    return batch.events.size() >= batch_events_ || batch.words.size() >= batch_words() ||
           batch.accesses.size() >= batch_events_ ||
           (!batch.events.empty() && time_ - batch.time >= k_batch_time) || !batch.gaps.empty() ||
           batch.window_uses.size() >= k_window_uses;
  }
  bool full() const {
    return next_ >= event_limit_ || next_word_ >= word_limit_ || time_ >= time_limit_;
  }
  // The batch has all the events that it is meant to have.
  bool enough_events() const { return filled() >= batch_events_; }
  // As many accesses of ranges as events may be in a batch, too.
  void limit_accesses() {
    if (batch_->accesses.size() >= batch_events_) event_limit_ = next_;
  }

  // Accesses before the next one: since the start, and in this batch.
  std::uint64_t time() const { return time_; }
  std::uint32_t batch_time() const { return static_cast<std::uint32_t>(time_ - batch_->time); }
  void pass_time(std::uint64_t accesses) { time_ += accesses; }
  // Of the events that follow.
  std::uint32_t thread() const { return thread_; }
  void start_thread(std::uint32_t thread) {
    thread_ = thread;
    emit_loop(EventKind::thread, thread);
  }

  [[gnu::always_inline]] void emit(const Event& event) {
    if (next_ == room_end_) [[unlikely]] grow();
    *next_++ = event;
  }
  // The same, for an event of any width.
  void emit_wide(EventKind kind, std::uint64_t address, std::uint32_t index,
                 std::uint64_t width) {
    batch_->note_width(filled(), width);
    emit({address, {index}, Batch::short_width(width), kind});
  }
  // An event of a loop, a range or a thread.
  void emit_loop(EventKind kind, std::uint32_t index, std::uint64_t frame = 0) {
    emit({frame, {index}, 0, kind});
  }
  void emit_loop(const BlockEntry& e, const std::uint64_t* p) {
    emit_loop(e.kind, e.site, e.frame(p));
  }
  // A batch without events would be none, whatever else it has.
  void mark() { emit_loop(EventKind::thread, thread_); }

  // A block whose words are those from P on.
  [[gnu::always_inline]] void emit_block(const CompiledDesc& desc, const std::uint64_t* p) {
    emit(block_event(desc, filled_words()));
    for (unsigned i = 0; i < desc.words; i++) next_word_[i] = p[i];
    next_word_ += desc.words;
  }
  // Where the words of a series go, and its events once they are there.
  std::uint64_t* word_room() { return next_word_; }
  void emit_blocks(const BlockSeries& series);
  // A block whose words begin with number FIRST of the batch.
  static Event block_event(const CompiledDesc& desc, std::size_t first) {
    return {reinterpret_cast<std::uint64_t>(&desc), {static_cast<std::uint32_t>(first)}, 0,
            EventKind::block};
  }

  // Where the writer is, for a loop that keeps it in registers: what it stores could alias the
  // writer as far as the compiler knows. A batch of blocks is full of events and words long
  // before its time is over.
  struct Place {
    bool full() const { return event >= event_limit || word >= word_limit; }

    Event* event;
    const Event* event_limit;
    std::uint64_t* word;
    const std::uint64_t* word_limit;
    std::uint64_t time;
  };
  Place place() const { return {next_, event_limit_, next_word_, word_limit_, time_}; }
  void go_on_from(const Place& place) {
    next_ = place.event;
    next_word_ = place.word;
    time_ = place.time;
  }

 private:
  // What one site record can represent, and some more.
  static constexpr std::size_t k_overshoot = MPRT_MAX_ENTRIES + 257;
  static constexpr std::size_t k_word_overshoot =
      std::max(IterationBlocks::k_max_iterations * MPRT_MAX_RECORD_WORDS,
               RunRecords::k_max_words);

  std::size_t batch_words() const { return batch_events_ / k_batch_events * k_batch_words; }
  std::size_t filled() const { return static_cast<std::size_t>(next_ - batch_->events.data()); }
  std::size_t filled_words() const {
    return static_cast<std::size_t>(next_word_ - batch_->words.data());
  }
  void grow();

  Batch* batch_ = nullptr;
  Event* next_ = nullptr;
  Event* room_end_ = nullptr;
  std::uint64_t* next_word_ = nullptr;
  // The batch is full when one of these is reached.
  const Event* event_limit_ = nullptr;
  const std::uint64_t* word_limit_ = nullptr;
  std::uint64_t time_limit_ = 0;
  std::uint64_t time_ = 0;
  std::size_t batch_events_ = k_batch_events;
  std::uint32_t thread_ = 0;
};

}  // namespace memprof::backend
