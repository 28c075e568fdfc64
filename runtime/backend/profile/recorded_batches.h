// recorded_batches.h - the batches of a stream file one after the other, without modules.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     RecordedBatches batches(file);
//     for (Batch batch; batches.next(batch);) ...
//     return batches.whole();
#pragma once

#include <string>

#include "runtime/backend/base/bounded_text.h"
#include "runtime/backend/decode/decoder.h"
#include "runtime/backend/decode/sequencer.h"
#include "runtime/backend/stream/file_source.h"

namespace memprof::backend {

class RecordedBatches {
 public:
  // FILE outlives this.
  explicit RecordedBatches(StreamFile& file) : source_(file), sequencer_(source_, decoder_) {
    decoder_.executable = bounded_text(file.shared().program);
    decoder_.name_code = [](std::uint64_t) { return std::string(); };
  }
  // False: there is nothing more. A batch may be empty.
  bool next(Batch& batch) {
    if (finished_) return false;
    batch.clear();
    const auto state = sequencer_.fill(batch);
    finished_ = state == Sequencer::State::finished;
    if (state == Sequencer::State::idle && batch.events.empty()) sequencer_.wait();
    return true;
  }
  Decoder& decoder() { return decoder_; }
  // After the last batch: the file is one of a run that ended, and nothing had to be passed over.
  bool whole() const {
    return source_.intact() && sequencer_.in_order() && decoder_.counts().ended;
  }

 private:
  FileSource source_;
  Decoder decoder_;
  Sequencer sequencer_;
  bool finished_ = false;
};

}  // namespace memprof::backend
