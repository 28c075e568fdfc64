// recorder.h - accesses as they happen, to the grammars of a run (WHOMP).
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An access is (site, group, object, offset): which instruction, which allocation site, the how
// manieth object of it, which byte. Each of the four is a sequence of its own, and each sequence a
// grammar (OMSG), since each alone repeats more than an address does:
//
//     access       1 g 0 0    2 g 0 8    1 g 1 0    2 g 1 8    ...
//     sites        1 2 1 2 ...          -> R R ...    R -> 1 2
//     offsets      0 8 0 8 ...          -> R R ...    R -> 0 8
//     objects      0 0 1 1 ...
//
// Beside them is a table of objects: births and deaths in the order of time, with size and
// address. It has all that depends on the allocator and on where the program was loaded; with it
// an address is base + offset, so nothing is lost. An address in no known object is in group 0, and
// its offset is the address.
//
// Each thread has grammars of its own; the turns say how many accesses of which thread come next,
// in the order in which they were read. When all grammars together need more memory than they may,
// all are written and begun anew: a segment. So memory is bounded whatever the run's length.
//
// Accesses wait until there is a block of them; then another thread puts them into the grammars,
// while this one goes on with the program, and helps as soon as it has the next block.
//
// For comparison, on request: one grammar of the addresses alone (RASG).
//
// Paper: Wu, Pyatakov, Spiridonov, Raman, Clark, August, CGO 2004, section 3.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "feedback/streams/grammar.h"
#include "feedback/streams/sequitur.h"
#include "feedback/streams/stream_file.h"

namespace memprof::streams {

struct RecorderOptions {
  bool addresses = false;           // a grammar of them, too
  bool object_differences = false;  // from the object of the access before, instead of objects
  std::uint64_t limit = std::uint64_t{2} << 30;  // bytes of all grammars
  std::uint64_t stop = 0;           // number of accesses; 0: no limit
};

struct ObjectName {
  std::uint32_t group, serial;  // group 0: none
};

struct RecorderTotals {
  std::uint64_t accesses = 0, objects = 0, segments = 0, threads = 0;
  bool stopped = false;                           // there was more than `stop'
  std::array<GrammarSizes, k_dimensions> sizes;  // sums over threads and segments
  std::uint64_t object_bytes = 0;                 // of births and deaths
};

class Recorder {
 public:
  Recorder(const RecorderOptions& options, StreamWriter& out) : options_(options), out_(out) {}

  void birth(std::uint32_t thread, const ObjectName& object, std::uint64_t base,
             std::uint64_t bytes);
  void death(const ObjectName& object);
  void access(std::uint32_t thread, std::uint32_t site, const ObjectName& object,
              std::uint64_t offset, std::uint64_t address);
  // Writes what has not been written. Nothing may come after.
  void finish();
  const RecorderTotals& totals() const { return totals_; }

 private:
  struct Sequence {
    Sequitur sequitur;
    Alphabet alphabet;
    std::vector<Symbol> waiting;
    void append(std::uint64_t value) { waiting.push_back(alphabet.terminal(value)); }
    std::size_t bytes() const { return sequitur.bytes() + alphabet.bytes(); }
  };
  struct Thread {
    std::array<std::unique_ptr<Sequence>, k_dimensions> sequences;
    std::uint64_t accesses = 0;  // of the segment
    std::uint32_t object = 0;    // of the access before
  };
  // Parts of sequences, on their way into the grammars. Threads share them.
  struct Block {
    struct Piece {
      Sequitur* to;
      std::vector<Symbol> symbols;
    };
    std::vector<Piece> pieces;
    std::atomic<std::size_t> next{0};  // that neither thread has taken
    void work();
  };
  static constexpr std::uint64_t k_block = 1 << 14;  // accesses

  Thread& thread(std::uint32_t number);
  void wait();
  void end_block();
  void end_turn();
  void put_time(bool death);
  std::size_t bytes() const;
  void end_segment();
  void write_thread(std::uint32_t number, const Thread& thread);

  const RecorderOptions options_;
  StreamWriter& out_;
  RecorderTotals totals_;
  std::map<std::uint32_t, Thread> threads_;  // with accesses in this segment
  std::unique_ptr<Block> block_;             // the block before
  std::future<void> other_;                  // the other thread's work on it
  std::size_t memory_ = 0;                   // without that block
  Thread* now_ = nullptr;
  std::uint32_t thread_ = 0;
  std::uint64_t turn_ = 0;             // accesses of the thread since its turn began
  std::uint64_t segment_start_ = 0;
  std::string turns_, objects_;        // of this segment
  std::uint64_t object_events_ = 0;    // in objects_
  std::uint64_t last_time_ = 0, last_base_ = 0;
  std::vector<std::uint32_t> next_serial_;                         // by group
  std::unordered_map<std::uint64_t, std::uint64_t> birth_numbers_;  // of live objects
  std::vector<bool> known_threads_;
};

}  // namespace memprof::streams
