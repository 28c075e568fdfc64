// decoded_stream.h - what the decoder and a module make of a stream.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/backend/decode/decoder.h"
#include "testsuite/unit/backend/backend_testutil.h"
#include "testsuite/unit/backend/stream_builder.h"

namespace memprof::backend::testing {

struct DecodedStream {
  // PIECE by piece: no record is seen with one of another piece.
  explicit DecodedStream(const std::vector<Words>& pieces) {
    program.options["cache"] = "L1=1K/2,L2=4K/4,LLC=8K/8,window=1,sample=1";
    batches.push_back(std::make_unique<Batch>());
    for (const Words& piece : pieces) decode(piece);
    finish();
  }
  // The rows of a module, as text.
  std::string profile(Make make) const {
    const auto module = make(program);
    for (const auto& batch : batches) consume(*module, *batch);
    return text(testing::finish(*module));
  }

  Decoder decoder;
  StreamRing ring;
  std::vector<std::unique_ptr<Batch>> batches;
  FakeProgram program;

 private:
  void decode(const Words& words) {
    const std::uint64_t* p = words.words.data();
    const std::uint64_t* const end = p + words.words.size();
    for (Stop stop; (stop = decoder.decode(ring, &p, end, *batches.back())) != Stop::exhausted;) {
      ASSERT_EQ(stop, Stop::batch_full);
      finish();
      batches.push_back(std::make_unique<Batch>());
    }
  }
  void finish() {
    decoder.finish(*batches.back());
    program.count(trace_of(*batches.back()));
  }
};

}  // namespace memprof::backend::testing
