// sequencer.cc - in which order the rings of a program are read.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/sequencer.h"

#include <algorithm>
#include <limits>

#include "runtime/backend/stream/records.h"

namespace memprof::backend {

namespace {

// More than the constructors of a program write before they are registered.
constexpr std::size_t k_max_parked_words = std::size_t{8} << 20;

// A thread writes its ticket right after it has taken it; if the ticket has
// not come after this time, it never will.
constexpr std::chrono::seconds k_ticket_patience{10};

constexpr std::uint64_t k_no_limit = std::numeric_limits<std::uint64_t>::max();

// The ring that RING interrupts, or that interrupts RING.
const StreamRing* partner(std::span<const std::unique_ptr<StreamRing>> rings,
                          const StreamRing& ring) {
  for (const auto& other : rings)
    if (other->thread == ring.thread &&
        (ring.signal_of
             ? !other->signal_of && other->number + 1 == ring.signal_of
             : other->signal_of == ring.number + 1))
      return other.get();
  return nullptr;
}

// The position that a signal ring's next handler interrupted, if one is next.
bool next_handler(const StreamRing& ring, std::uint64_t* position) {
  if (ring.unread.size() < 3 ||
      ring.unread[0] != MPRT_CONTROL_HEADER(MPRT_SIGNAL_ENTER, 3))
    return false;
  *position = ring.unread[2];
  return true;
}

// What a signal ring's next chunk begins with is not seen yet.
bool at_chunk_end(const StreamRing& ring) {
  return !ring.unread.empty() &&
         ring.unread[0] == MPRT_CONTROL_HEADER(MPRT_CHUNK_END, 1);
}

std::uint64_t next_chunk(std::uint64_t position) {
  return (position + MPRT_CHUNK_BYTES - 1) / MPRT_CHUNK_BYTES *
         MPRT_CHUNK_BYTES;
}

}  // namespace

// Whether RING may be read now, and up to which position.
bool Sequencer::may_run(const StreamRing& ring, std::uint64_t* limit) const {
  *limit = k_no_limit;
  if (ring.wanted_ticket > decoder_.passed_ticket() + 1) return false;
  if (ignore_signals_) return true;
  const StreamRing* other = partner(source_.rings(), ring);
  if (!other) return true;
  std::uint64_t interrupted;
  if (ring.signal_of)
    return ring.in_handler || !ring.parked.empty() ||
           !next_handler(ring, &interrupted) || interrupted <= other->position;
  if (!other->parked.empty()) return true;
  if (other->in_handler || at_chunk_end(*other)) return false;
  if (!next_handler(*other, &interrupted)) return true;
  *limit = interrupted;
  return interrupted > ring.position;
}

void Sequencer::use(StreamRing& ring, std::size_t words) {
  ring.position += words * 8;
  source_.advance(ring, words);
}

// Copies what is unread aside, except for unit records, which take effect at once.
bool Sequencer::absorb(StreamRing& ring, Batch& batch) {
  bool moved = false;
  while (!ring.unread.empty()) {
    const std::uint64_t* p = ring.unread.data();
    const std::uint64_t* const end = p + ring.unread.size();
    bool chunk_end = false;
    while (p < end && !chunk_end) {
      const std::size_t words = whole_record(p, end);
      if (!words) {
        decoder_.count_corrupt();
        p = end;
        break;
      }
      switch (control_p(*p) ? MPRT_CONTROL_KIND(*p) : 0) {
        case MPRT_CHUNK_END:
          chunk_end = true;
          break;
        case MPRT_UNIT_LOAD:
        case MPRT_DATA:
        case MPRT_UNIT_READY:
          decoder_.unit_record(ring, p, words, batch);
          break;
        default:
          ring.parked.insert(ring.parked.end(), p, p + words);
      }
      p += words;
    }
    use(ring, static_cast<std::size_t>(p - ring.unread.data()));
    if (chunk_end) {
      ring.position = next_chunk(ring.position);
      source_.skip_chunk(ring);
    }
    moved = true;
  }
  if (ring.parked.size() > k_max_parked_words) {
    decoder_.skip_unknown();
    in_order_ = false;
  }
  return moved;
}

// Decodes from the parked copy, or from the ring up to LIMIT.
Stop Sequencer::read(StreamRing& ring, std::uint64_t limit, Batch& batch) {
  if (!ring.parked.empty()) {
    const std::uint64_t* const begin = ring.parked.data();
    const std::uint64_t* p = begin + ring.parked_at;
    const Stop stop =
        decoder_.decode(ring, &p, begin + ring.parked.size(), batch);
    ring.parked_at = static_cast<std::size_t>(p - begin);
    if (stop == Stop::corrupt) ring.parked_at = ring.parked.size();
    if (ring.parked_at == ring.parked.size()) {
      ring.parked = {};
      ring.parked_at = 0;
    }
    return stop;
  }
  const std::uint64_t* p = ring.unread.data();
  const std::uint64_t words =
      std::min<std::uint64_t>(ring.unread.size(), (limit - ring.position) / 8);
  const Stop stop = decoder_.decode(ring, &p, p + words, batch);
  use(ring, static_cast<std::size_t>(p - ring.unread.data()));
  switch (stop) {
    case Stop::chunk_end:
      ring.position = next_chunk(ring.position);
      source_.skip_chunk(ring);
      break;
    case Stop::corrupt:
      decoder_.count_corrupt();
      use(ring, ring.unread.size());
      break;
    default:
      break;
  }
  return stop;
}

// True if it got anywhere.
bool Sequencer::run(StreamRing& ring, Batch& batch) {
  bool progress = false;
  for (;;) {
    if (!ring.parked.empty() && absorb(ring, batch)) progress = true;
    if (ring.parked.empty() && ring.unread.empty()) return progress;
    std::uint64_t limit;
    if (!may_run(ring, &limit)) return progress;
    const std::uint64_t position = ring.position;
    const std::size_t parked_at = ring.parked_at;
    const bool parked = !ring.parked.empty();
    const Stop stop = read(ring, limit, batch);
    if (ring.position != position || ring.parked_at != parked_at)
      progress = true;
    if (stop == Stop::unknown) {
      if (parked) return progress;
      absorb(ring, batch);
      progress = true;
      continue;
    }
    if (stop == Stop::batch_full || stop == Stop::ticket) return progress;
    if (stop == Stop::exhausted && ring.position == position && !parked)
      return progress;  // up to the limit that a signal ring sets
  }
}

bool Sequencer::release_ended() {
  for (const auto& ring : source_.rings())
    if (ring->ended && ring->unread.empty() && ring->parked.empty()) {
      source_.release(*ring);
      return true;
    }
  return false;
}

Sequencer::State Sequencer::fill(Batch& batch) {
  const State state = advance(batch);
  decoder_.finish(batch);
  return state;
}

Sequencer::State Sequencer::advance(Batch& batch) {
  if (!decoder_.finish_expansion(batch)) return State::full;
  for (;;) {
    bool progress = false;
    const std::size_t rings = source_.rings().size();
    for (std::size_t i = 0; i < rings; i++, turn_++) {
      if (run(*source_.rings()[turn_ % rings], batch)) progress = true;
      if (decoder_.full(batch)) return State::full;
    }
    while (release_ended()) progress = true;
    if (source_.poll()) progress = true;
    if (progress) {
      last_progress_ = std::chrono::steady_clock::now();
      continue;
    }
    if (!no_more_) return State::idle;
    if (!force()) return State::finished;
  }
}

bool Sequencer::pass_lost_ticket() {
  std::uint64_t smallest = 0;
  for (const auto& ring : source_.rings()) {
    const std::uint64_t ticket = ring->wanted_ticket;
    if (ticket > decoder_.passed_ticket() + 1 &&
        (!smallest || ticket < smallest))
      smallest = ticket;
  }
  if (!smallest) return false;
  decoder_.skip_to_ticket(smallest);
  in_order_ = false;
  return true;
}

bool Sequencer::force() {
  if (pass_lost_ticket()) return true;
  bool parked = false, unread = false;
  for (const auto& ring : source_.rings()) {
    parked |= !ring->parked.empty();
    unread |= !ring->unread.empty();
  }
  if (parked && !skips_unknown_) {
    skips_unknown_ = true;
    decoder_.skip_unknown();
    in_order_ = false;
    return true;
  }
  if ((parked || unread) && !ignore_signals_) {
    ignore_signals_ = true;
    in_order_ = false;
    return true;
  }
  return false;
}

void Sequencer::wait() {
  if (!source_.wait()) no_more_ = true;
  if (std::chrono::steady_clock::now() - last_progress_ > k_ticket_patience &&
      pass_lost_ticket())
    last_progress_ = std::chrono::steady_clock::now();
}

}  // namespace memprof::backend
