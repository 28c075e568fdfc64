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
// Cost. Step 1 is a look into a hash table. Step 2 asks for each of the at most w - 1
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
#include <vector>

#include "runtime/backend/modules/regularity/expected_streams.h"

namespace memprof::backend {

class StreamDetector {
 public:
  // The paper's windows: the usual one, and one that costs less.
  static constexpr std::uint32_t k_window = 100, k_small_window = 32;

  struct Stream {
    std::uint64_t start;      // address of the first element
    std::int64_t step;        // bytes
    std::uint64_t length;     // elements
    std::uint64_t last;       // number of the reference that is its last element
    std::uint64_t gap;        // references from the first to the second element
    std::uint64_t gaps;       // how many of the length - 1 gaps are like that
    std::uint32_t section;    // where its third element was referred to
    bool store;

    std::uint64_t expected() const {
      return start + length * static_cast<std::uint64_t>(step);
    }
  };

  explicit StreamDetector(std::uint32_t window = k_window);

  // The next reference, by code of section SECTION. Returns how many references have
  // joined a stream by it: 0, 1, or 3 with those two of sections joined() that waited.
  unsigned refer(std::uint64_t address, bool store, std::uint32_t section = 0);
  // After refer() returned 3: the sections of the two earlier references.
  const std::uint32_t (&joined() const)[2] { return joined_; }
  // After refer() returned 1 or 3: the stream.
  std::uint32_t stream() const { return stream_; }
  // COUNT more times the references of an iteration of a loop: STREAMS says which stream
  // each of them joins, always by its step. The same as COUNT * STREAMS.size() calls of
  // refer(), provided that these would join just these streams.
  void repeat(const std::vector<std::uint32_t>& streams, std::uint64_t count);
  // Keeps the KEPT streams that were modified last; calls fn(stream) for the others. Numbers
  // of streams change.
  template <typename Fn>
  void retire(std::size_t kept, Fn&& fn) {
    for (const Stream& stream : keep_newest(kept)) fn(stream);
  }
  // What waits is forgotten, and no stream goes on: references are missing here.
  void interrupt();

  const std::vector<Stream>& streams() const { return streams_; }
  std::uint64_t references() const { return now_; }

 private:
  // A reference that may still become part of a stream.
  struct Waiting {
    std::uint64_t address;
    std::uint64_t number = 0;  // of the reference, from 1; 0: there is none
    std::uint32_t section;
    std::uint32_t older, newer;  // in its bucket; k_none: the end
    std::uint8_t store;
    bool waits = false;
  };
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};

  std::uint32_t bucket_of(std::uint64_t address, bool store) const {
    return static_cast<std::uint32_t>(
        ((address ^ std::uint64_t{store} << 63) * 0x9e3779b97f4a7c15) >> shift_);
  }
  std::uint32_t place_of(std::uint64_t number) const {
    return static_cast<std::uint32_t>(number & (places_.size() - 1));
  }
  void wait(std::uint64_t address, bool store, std::uint32_t section);
  void stop_waiting(Waiting& w);
  // The nearest of ADDRESS and STORE before reference NUMBER, less than a window before.
  Waiting* find(std::uint64_t address, bool store, std::uint64_t number);
  bool begin(std::uint64_t address, bool store, std::uint32_t section);

  void expect(std::uint32_t stream);
  void take(std::uint32_t stream);
  // Returns the others, modified last at the end.
  std::vector<Stream> keep_newest(std::size_t kept);

  std::uint32_t window_;
  unsigned shift_;
  std::uint64_t now_ = 0;  // number of the last reference
  std::vector<Waiting> places_;         // a ring of two windows at least
  std::vector<std::uint32_t> buckets_;  // newest place of each
  std::vector<Stream> streams_;
  // The stream that expects an address, modified last; the others follow in next_.
  ExpectedStreams expected_;
  std::vector<std::uint32_t> next_;
  std::uint32_t joined_[2] = {};
  std::uint32_t stream_ = k_no_stream;
};

}  // namespace memprof::backend
