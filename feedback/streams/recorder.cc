// recorder.cc - accesses as they happen, to the grammars of a run.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/recorder.h"

#include <utility>

#include "feedback/streams/fault.h"
#include "feedback/streams/uleb.h"

namespace memprof::streams {
namespace {

std::uint64_t key(const ObjectName& object) {
  return std::uint64_t{object.group} << 32 | object.serial;
}
std::uint64_t difference(std::uint64_t a, std::uint64_t b) {
  return zigzag(static_cast<std::int64_t>(a - b));
}

void add(GrammarSizes& sum, const GrammarSizes& more) {
  sum.symbols += more.symbols;
  sum.rules += more.rules;
  sum.ascii += more.ascii;
  sum.bytes += more.bytes;
}

}  // namespace

// A birth or a death: accesses since the one before, and which.
void Recorder::put_time(bool death) {
  put_flagged(objects_, totals_.accesses - last_time_, death);
  last_time_ = totals_.accesses;
  object_events_++;
}

void Recorder::birth(std::uint32_t thread, const ObjectName& object, std::uint64_t base,
                     std::uint64_t bytes) {
  if (totals_.stopped) return;
  put_time(false);
  if (object.group >= next_serial_.size()) next_serial_.resize(object.group + 1);
  std::uint32_t& expected = next_serial_[object.group];
  put_uleb(objects_, object.group);
  put_uleb(objects_, difference(object.serial, expected));
  put_uleb(objects_, bytes);
  put_uleb(objects_, difference(base, last_base_));
  put_uleb(objects_, thread);
  expected = object.serial + 1;
  last_base_ = base;
  birth_numbers_[key(object)] = totals_.objects++;
}

void Recorder::death(const ObjectName& object) {
  const auto at = birth_numbers_.find(key(object));
  if (totals_.stopped || at == birth_numbers_.end()) return;
  put_time(true);
  put_uleb(objects_, totals_.objects - at->second);
  birth_numbers_.erase(at);
}

Recorder::Thread& Recorder::thread(std::uint32_t number) {
  const auto [at, fresh] = threads_.try_emplace(number);
  if (fresh) {
    const unsigned used = options_.addresses ? k_dimensions : k_omsg_dimensions;
    for (unsigned d = 0; d < used; d++) at->second.sequences[d] = std::make_unique<Sequence>();
    if (number >= known_threads_.size()) known_threads_.resize(number + 1);
    totals_.threads += !known_threads_[number];
    known_threads_[number] = true;
  }
  return at->second;
}

void Recorder::end_turn() {
  if (turn_ == 0) return;
  put_uleb(turns_, thread_);
  put_uleb(turns_, turn_);
  turn_ = 0;
}

void Recorder::access(std::uint32_t number, std::uint32_t site, const ObjectName& object,
                      std::uint64_t offset, std::uint64_t address) {
  if (options_.stop != 0 && totals_.accesses == options_.stop) {
    totals_.stopped = true;
    return;
  }
  if (number != thread_ || now_ == nullptr) {
    end_turn();
    thread_ = number;
    now_ = &thread(number);
  }
  const auto append = [this](Dimension d, std::uint64_t value) {
    now_->sequences[static_cast<unsigned>(d)]->append(value);
  };
  append(Dimension::site, site);
  append(Dimension::group, object.group);
  append(Dimension::object, options_.object_differences
                                ? difference(object.serial, now_->object)
                                : object.serial);
  append(Dimension::offset, offset);
  if (options_.addresses) append(Dimension::address, address);
  now_->object = object.serial;
  now_->accesses++;
  turn_++;
  totals_.accesses++;
  if (totals_.accesses % k_block != 0) return;
  end_block();
  if (memory_ > options_.limit) end_segment();
}

void Recorder::Block::work() {
  if (g_fault == Fault::piece_twice) next = 0;
  for (std::size_t i; (i = next++) < pieces.size();)
    pieces[i].to->append(pieces[i].symbols.data(), pieces[i].symbols.size());
}

// What is left to do of the block before.
void Recorder::wait() {
  if (!other_.valid()) return;
  block_->work();
  other_.get();
}

// What waits goes into the grammars, in another thread and, when the next block is full, in this one
// as well. Until then the grammars have all up to the block before.
void Recorder::end_block() {
  wait();
  memory_ = bytes();
  block_ = std::make_unique<Block>();
  // Objects take longest.
  for (const Dimension d : {Dimension::object, Dimension::address, Dimension::offset, Dimension::group, Dimension::site})
    for (auto& [number, thread] : threads_) {
      Sequence* const sequence = thread.sequences[static_cast<unsigned>(d)].get();
      if (sequence == nullptr || sequence->waiting.empty()) continue;
      block_->pieces.push_back({&sequence->sequitur, std::exchange(sequence->waiting, {})});
      sequence->waiting.reserve(k_block);
    }
  other_ = std::async(std::launch::async, [block = block_.get()] { block->work(); });
}

std::size_t Recorder::bytes() const {
  std::size_t sum = turns_.size() + objects_.size() + birth_numbers_.size() * 48;
  for (const auto& [number, thread] : threads_)
    for (const auto& sequence : thread.sequences)
      if (sequence != nullptr) sum += sequence->bytes();
  return sum;
}

void Recorder::end_segment() {
  if (g_fault != Fault::last_block) end_block();
  wait();
  end_turn();
  BlockHeader header;
  header.segment = totals_.segments++;
  header.kind = BlockKind::turns;
  header.count = totals_.accesses - segment_start_;
  out_.block(header, turns_);
  header.kind = BlockKind::objects;
  header.count = object_events_;
  out_.block(header, objects_);
  totals_.object_bytes += objects_.size();
  for (const auto& [number, thread] : threads_) write_thread(number, thread);
  threads_.clear();
  now_ = nullptr;
  segment_start_ = totals_.accesses;
  turns_.clear();
  objects_.clear();
  object_events_ = 0;
}

void Recorder::write_thread(std::uint32_t number, const Thread& thread) {
  for (unsigned d = 0; d < k_dimensions; d++) {
    if (thread.sequences[d] == nullptr) continue;
    Grammar grammar = thread.sequences[d]->sequitur.grammar();
    grammar.alphabet = std::move(thread.sequences[d]->alphabet);
    add(totals_.sizes[d], sizes(grammar));
    std::string bytes;
    encode(grammar, bytes);
    BlockHeader header;
    header.kind = BlockKind::grammar;
    header.dimension = Dimension(d);
    header.thread = number;
    header.segment = totals_.segments - 1;
    header.count = thread.accesses;
    header.flags = Dimension(d) == Dimension::object && options_.object_differences
                       ? k_object_differences
                       : 0;
    out_.block(header, bytes);
  }
}

void Recorder::finish() {
  if (totals_.segments == 0 || totals_.accesses != segment_start_ || object_events_ != 0)
    end_segment();
  out_.finish();
}

}  // namespace memprof::streams
