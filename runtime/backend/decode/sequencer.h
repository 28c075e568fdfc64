// sequencer.h - in which order the rings of a program are read.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// ring.h says what must come before what: a ticket n comes after 1 .. n-1, and
// a signal ring's records between SIGNAL_ENTER and SIGNAL_EXIT come at the
// position of the ring that was interrupted. The rings are read in turn, each
// as far as it may go.
//
// A record whose descriptor belongs to no loaded unit (code that ran before
// the constructor that registers its unit) parks its ring: the records are
// copied aside, only the loading of units in between is obeyed at once, and
// when the unit is there the ring is read on from the copy.
//
// When the program has ended and no ring can go on, something that they wait
// for was lost with the program: the smallest ticket is passed, then parked
// records are given up, then signal rings are read as they are. The profile is
// then not complete.
#pragma once

#include <chrono>

#include "runtime/backend/decode/decoder.h"
#include "runtime/backend/event/batch.h"
#include "runtime/backend/stream/stream.h"

namespace memprof::backend {

class Sequencer {
 public:
  Sequencer(StreamSource& source, Decoder& decoder)
      : source_(source), decoder_(decoder) {}

  enum class State { full, idle, finished };

  // Fills BATCH; full: call again. idle: nothing to read now; what is in the
  // batch should be handed on before wait(). finished: this was the last.
  State fill(Batch& batch);
  // Sleeps until there may be more.
  void wait();

  // Whether the program has said what it consists of; not before its first record
  // of an access, but births may come earlier.
  bool knows_modules() const { return decoder_.loads() != 0; }

  // No module reads the columns of the batches to come.
  void leave_out_columns() { decoder_.leave_out_columns(); }

  // False if something had to be skipped or passed over.
  bool in_order() const { return in_order_; }

 private:
  State advance(Batch& batch);
  bool run(StreamRing& ring, Batch& batch);
  bool may_run(const StreamRing& ring, std::uint64_t* limit) const;
  Stop read(StreamRing& ring, std::uint64_t limit, Batch& batch);
  void use(StreamRing& ring, std::size_t words);
  bool absorb(StreamRing& ring, Batch& batch);
  bool release_ended();
  bool pass_lost_ticket();
  bool force();

  StreamSource& source_;
  Decoder& decoder_;
  std::size_t turn_ = 0;
  bool no_more_ = false;
  bool ignore_signals_ = false;
  bool skips_unknown_ = false;
  bool in_order_ = true;
  std::chrono::steady_clock::time_point last_progress_ =
      std::chrono::steady_clock::now();
};

}  // namespace memprof::backend
