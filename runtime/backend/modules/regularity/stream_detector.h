// stream_detector.h - finds arithmetic progressions in a sequence of addresses.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A *stream* is an arithmetic progression of addresses, a, a + s, a + 2s, ..., of at
// least three references of one kind (loads or stores), whichever instructions make
// them. Other references may lie between its elements. A reference belongs to one
// stream at most, so the share of the references that belong to one, the *spatial
// regularity*, is between 0 and 1. Streams of step 0 are *scalar*.
//
// How it works. The last w references are in a window. A new reference
//
//   1. continues the stream that expects its address, if there is one: of several, the
//      one that was modified last;
//   2. else begins a stream with two references of its kind that are in none: the middle
//      one less than w references ago, the first one less than w before the middle one,
//      both as near as possible, with equal differences;
//   3. else waits in the window for references to come.
//
//     100 211 100 100 212 100 100 213      at the 4th: stream 100, 3 long, step 0
//                                          at the 8th: stream 211, 3 long, step 1
//
// The first one may be older than the window, so that streams whose elements lie nearly
// w apart are found ("below the diagonal" of the paper's table of differences).
//
// Cost. Step 1 is a look into a hash table. Step 2 looks for each of the at most w - 1
// middle elements whether the first one exists, in a hash table of the references that
// wait: O(w), where the paper's pool of differences takes O(w^2).
//
// What it does not do: streams are not forgotten unless the owner says so (retire); the
// widths of accesses are not looked at.
//
// Paper: Mohan, de Supinski, McKee, Mueller, Yoo, Schulz: Identifying and Exploiting
// Spatial Regularity in Data Memory References, SC 2003, section 3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/backend/modules/regularity/expected_streams.h"
#include "runtime/backend/modules/regularity/waiting_references.h"

namespace memprof::backend {

class StreamDetector {
 public:
  struct Stream {
    std::uint64_t start;      // address of the first element
    std::int64_t step;        // bytes
    std::uint64_t length;     // elements
    std::uint64_t begun;      // number of the reference that was its third element
    std::uint64_t last;       // number of the reference that is its last element
    std::uint64_t gap;        // references from the first to the second element
    std::uint64_t gaps;       // how many of the length - 1 gaps are like that
    std::uint32_t section;    // where its third element was referred to
    bool store;

    std::uint64_t expected() const {
      return start + length * static_cast<std::uint64_t>(step);
    }
  };

  // LIFE: how many references a stream waits for its next element.
  explicit StreamDetector(std::uint32_t window, std::uint64_t life = ~std::uint64_t{0})
      : waiting_(window), life_(life) {}

  // The next reference, by code of section SECTION. Returns how many references have
  // joined a stream by it: 0, 1, or 3 with those two of sections joined() that waited.
  unsigned refer(std::uint64_t address, bool store, std::uint32_t section = 0);
  // After refer() returned 3: the sections of the two earlier references.
  const std::uint32_t (&joined() const)[2] { return joined_; }
  // ... and their numbers.
  const std::uint64_t (&joined_numbers() const)[2] { return number_; }
  // After refer() returned 1 or 3: the stream.
  std::uint32_t stream() const { return stream_; }
  // COUNT more times the references of a period of a loop, which join STREAMS in this order. The
  // same as COUNT * STREAMS.size() calls of refer(), provided that the period before was the same
  // and these would join just these streams (range_pattern.h).
  void repeat(std::span<const std::uint32_t> streams, std::uint64_t count);
  // Calls fn(stream) for the streams that have ended, and forgets them. Numbers of streams change.
  template <typename Fn>
  void end_streams(Fn&& fn) {
    for (const Stream& stream : take_ended()) fn(stream);
  }
  // What waits is forgotten, and no stream goes on: references are missing here.
  void interrupt();

  const std::vector<Stream>& streams() const { return streams_; }
  std::uint64_t references() const { return now_; }

 private:
  bool begin(std::uint64_t address, bool store, std::uint32_t section);

  void expect(std::uint32_t stream);
  void take(ExpectedStreams::Entry* entry);
  void drop(std::uint32_t stream);
  std::vector<Stream> take_ended();

  std::uint64_t now_ = 0;  // number of the last reference
  WaitingReferences waiting_;
  std::uint64_t life_;
  std::vector<Stream> streams_;
  // The stream that expects an address, modified last; the others follow in next_.
  ExpectedStreams expected_;
  std::vector<std::uint32_t> next_;
  std::uint32_t joined_[2] = {};
  std::uint64_t number_[2] = {};
  std::uint32_t stream_ = k_no_stream;
};

}  // namespace memprof::backend
