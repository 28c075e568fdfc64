// stream.h - where records come from: rings of a program, or of a file.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/backend/program/unit_image.h"
#include "runtime/wire/ring.h"

namespace memprof::backend {

// Modules may keep arrays by thread number.
inline constexpr std::uint32_t k_max_thread = 1u << 20;

// One ring between its first record and its end, as its readers see it.
struct StreamRing {
  virtual ~StreamRing() = default;  // a source's rings have more

  // Kept by the source.
  std::uint32_t number = 0;     // of the ring, as SIGNAL_ENTER names it
  std::uint32_t thread = 0;
  std::uint32_t signal_of = 0;  // number + 1 of the ring that it interrupts
  // Consecutive, whole records; no other process can write there, so what was checked does not change.
  std::span<const std::uint64_t> unread;
  bool ended = false;           // nothing follows `unread', or what replaces it

  // Kept by the sequencer and the decoder.
  std::uint64_t position = 0;  // bytes passed, as ring.h counts them
  std::unique_ptr<UnitAssembler> unit;      // between UNIT_LOAD and _READY
  std::uint64_t wanted_ticket = 0;          // it waits for its turn; or 0
  bool in_handler = false;                  // signal ring: no SIGNAL_EXIT yet
  std::vector<std::uint64_t> parked;  // records of no loaded unit, and on
  std::size_t parked_at = 0;
  struct Window {
    bool open = false;           // what is recorded is taken
    std::uint64_t position = 0;  // accesses so far
    std::uint64_t seed = 0;      // says which lines are looked at
    std::uint64_t same_until = 0;  // position up to which `shifts' hold
    unsigned shifts[2] = {};       // of lines and pages
  };
  Window window;
  bool in_window = false;
  std::uint64_t early = 0;  // in an early burst: one in EARLY places is in one
  bool in_burst = false;
  bool burst_open = false;  // its stores have not been reported as ended
  std::uint64_t stack = 0;  // base of the object that is the thread's stack
  struct {                  // between REALLOC_REQUEST and REALLOC_RESULT
    std::uint64_t address = 0;
    std::uint32_t group = 0, serial = 0;
  } reallocating;
};

class StreamSource {
 public:
  virtual ~StreamSource() = default;

  // About the program: paths, options, start.
  virtual const mprt_shared& about() const = 0;
  // The rings that have not been released. Ordinary rings were looked at before
  // signal rings, so what a signal ring interrupted is never newer than it.
  virtual std::span<const std::unique_ptr<StreamRing>> rings() = 0;
  // Brings in what has been published since. True if anything was.
  virtual bool poll() = 0;
  // Sleeps until there may be more. False: there will be no more; what could
  // be saved of the ends of rings has been added.
  virtual bool wait() = 0;
  // The first WORDS of ring.unread have been used.
  virtual void advance(StreamRing& ring, std::size_t words) = 0;
  // A CHUNK_END has been used: the rest of its chunk is skipped.
  virtual void skip_chunk(StreamRing& ring) = 0;
  // Everything in an ended ring has been used; RING is gone after this.
  virtual void release(StreamRing& ring) = 0;
  // Whether what came was all that was sent.
  virtual bool intact() const = 0;
  // Answers the program's MPRT_SNAPSHOT; for a file there is nothing to do.
  virtual void give_snapshot(std::uint32_t, std::span<const mprt_live_object>) {}
  // Sample mode: the program need not begin another burst; for a file there is nothing to do.
  virtual void enough() {}
  // From here on the profile is written: if the backend dies, the program cannot know whether it is there.
  virtual void writing() {}
  // Counted by the runtime itself: events that it could not record.
  virtual std::uint64_t events_lost() const = 0;
};

}  // namespace memprof::backend
