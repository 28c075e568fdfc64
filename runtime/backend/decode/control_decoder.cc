// control_decoder.cc - control records: tickets, objects, threads, bursts, the end.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/control_decoder.h"

#include <string>

#include "runtime/backend/stream/records.h"

namespace memprof::backend {

void ControlDecoder::born(const std::uint64_t* p) {
  const std::uint64_t address = p[1], bytes = p[2], allocator = p[5];
  if (allocator == MPRT_UNMAP) {
    life_.unmap(address, bytes);
    return;
  }
  const GroupId group = births_.group_of(p[3], p[4], allocator);
  if (allocator == MPRT_CUSTOM)
    life_.carve(address, bytes, group);
  else if (allocator == MPRT_MMAP)
    life_.map(address, bytes, group);
  else
    life_.birth(address, bytes, group);
}

void ControlDecoder::realloc_result(StreamRing& ring, const std::uint64_t* p) {
  const std::uint64_t old_address = p[1], new_address = p[2], bytes = p[3];
  const auto asked = std::exchange(ring.reallocating, {});
  if (!new_address) return;
  const Object* old = resolver_.objects().begins_at(old_address);
  const bool known = old && asked.address == old_address && old->group == asked.group &&
                     old->serial == asked.serial;
  const GroupId group = births_.group_of(p[4], p[5], p[6]);
  if (p[6] == MPRT_MMAP) {
    if (known) life_.unmap(old_address, old->size());
    life_.map(new_address, bytes, group);
  } else {
    if (known) life_.death(old_address);
    life_.birth(new_address, bytes, group);
  }
}

void ControlDecoder::thread_start(StreamRing& ring, const std::uint64_t* p) {
  // One that ends twice, the second time with the program, is one all the same.
  numbers_.insert(ring.thread);
  counts_.threads = numbers_.size();
  const std::uint64_t low = p[3], end = p[4];
  if (low >= end || end - low > k_max_width) return;
  feedback::Group group;
  group.kind = feedback::GroupKind::stack;
  group.function = "thread " + std::to_string(ring.thread);
  life_.birth(low, end - low, resolver_.groups().intern(std::move(group)));
  ring.stack = low;
}

void ControlDecoder::thread_end(StreamRing& ring) {
  resolver_.set_thread(ring.thread);
  windows_.end(ring);
  end_burst(ring);
  if (ring.stack) life_.death(std::exchange(ring.stack, 0));
  out_.emit_loop(EventKind::thread_end, 0);
  out_.batch().ended_threads.push_back(ring.thread);
}

// The thread's next records have nothing to do with those before.
Stop ControlDecoder::gap(const StreamRing& ring) {
  resolver_.set_thread(ring.thread);
  out_.emit_loop(EventKind::gap, 0);
  out_.batch().gaps.push_back(ring.thread);
  return Stop::batch_full;
}

Stop ControlDecoder::marker(StreamRing& ring, std::uint64_t tag, std::uint64_t value) {
  Batch& batch = out_.batch();
  switch (tag) {
    case MPRT_EARLY_BEGIN:
    case MPRT_FIRST_BEGIN:
      counts_.between_bursts += value;
      ring.early = 1 + (tag == MPRT_EARLY_BEGIN ? value / MPRT_EARLY_PLACES : 0);
      if (!ring.burst_open) break;
      ring.burst_open = false;
      batch.times = counts_.times();
      return gap(ring);
    case MPRT_EARLY_END:
      counts_.between_bursts += value;
      ring.early = 0;
      resolver_.set_thread(ring.thread);
      out_.mark();
      if (batch.early.size() > BatchWriter::k_batch_events) return Stop::batch_full;
      break;
    case MPRT_WINDOW_BEGIN:
      counts_.between_bursts += value;
      ring.in_window = true;
      windows_.begin(ring);
      break;
    case MPRT_WINDOW_END:
      counts_.between_bursts += value;
      ring.in_window = false;
      windows_.end(ring);
      break;
    case MPRT_BURST_BEGIN:
      ring.burst_open = true;
      if (!std::exchange(ring.in_burst, true)) life_.burst_begins();
      if (hooks_.burst_begins) hooks_.burst_begins();
      counts_.bursts++;
      counts_.between_bursts += value;
      counts_.burst_began = counts_.places();
      batch.times = counts_.times();
      return gap(ring);
    case MPRT_GAP: return gap(ring);
    case MPRT_BURST_END:
      counts_.in_bursts += value;
      end_burst(ring);
      break;
    case MPRT_BURST_REST: counts_.between_bursts += value; break;
    default: break;
  }
  return Stop::exhausted;
}

// False: it is not the ring's turn.
bool ControlDecoder::pass_ticket(StreamRing& ring, std::uint64_t ticket) {
  if (ticket > passed_ticket_ + 1) {
    ring.wanted_ticket = ticket;
    return false;
  }
  if (ticket == passed_ticket_ + 1) passed_ticket_ = ticket;
  ring.wanted_ticket = 0;
  return true;
}

Stop ControlDecoder::record(StreamRing& ring, const std::uint64_t* p, std::size_t words) {
  const unsigned kind = MPRT_CONTROL_KIND(p[0]);
  if (const unsigned at = ticket_word(kind); at && !pass_ticket(ring, p[at])) return Stop::ticket;
  switch (kind) {
    case MPRT_CHUNK_END:
      return Stop::chunk_end;
    case MPRT_UNIT_LOAD:
    case MPRT_DATA:
    case MPRT_UNIT_READY:
    case MPRT_ENTRIES:
    case MPRT_UNIT_UNLOAD:
      unit_record(ring, p, words);
      break;
    case MPRT_BIRTH:
      resolver_.set_thread(ring.thread);
      born(p);
      break;
    case MPRT_DEATH:
      resolver_.set_thread(ring.thread);
      life_.death(p[1]);
      break;
    case MPRT_REALLOC_REQUEST:
      ring.reallocating = {};
      if (const Object* object = resolver_.objects().begins_at(p[1]))
        ring.reallocating = {p[1], object->group, object->serial};
      break;
    case MPRT_REALLOC_RESULT:
      resolver_.set_thread(ring.thread);
      realloc_result(ring, p);
      break;
    case MPRT_THREAD_START:
      thread_start(ring, p);
      break;
    case MPRT_THREAD_END:
      thread_end(ring);
      break;
    case MPRT_PROGRAM_END:
      counts_.ended = true;
      counts_.ended_early = p[1] == MPRT_END_OFF;
      counts_.unwanted = p[1] == MPRT_END_RESET;
      break;
    case MPRT_SIGNAL_ENTER:
    case MPRT_SIGNAL_EXIT:
      ring.in_handler = kind == MPRT_SIGNAL_ENTER;
      return Stop::signal;
    case MPRT_MARKER:
      return marker(ring, p[1], p[2]);
    case MPRT_LOOP_SAMPLE:
      if (words <= 2) break;
      resolver_.set_thread(ring.thread);
      if (const CompiledDesc* loop = samples_.loop_sample(p[1], p + 2, words - 2); loop && p[1] != 0)
        windows_.long_loop(ring, *loop, p + 2);
      break;
    case MPRT_WRITTEN:
      resolver_.set_thread(ring.thread);
      if (p[2] <= k_max_width && p[1] < k_user_end - p[2])
        out_.emit_wide(EventKind::external_store, p[1], k_no_site, p[2]);
      else
        counts_.corrupt++;
      break;
    case MPRT_SNAPSHOT:
      if (hooks_.snapshot) hooks_.snapshot(static_cast<std::uint32_t>(p[1]));
      break;
    case MPRT_LOST:
      counts_.lost += p[1];
      break;
    default:
      break;
  }
  return Stop::exhausted;
}

}  // namespace memprof::backend
