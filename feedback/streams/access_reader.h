// access_reader.h - a file of streams back to accesses, in order.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "feedback/model.h"
#include "feedback/result.h"
#include "feedback/streams/grammar.h"
#include "feedback/streams/stream_file.h"
#include "feedback/streams/uleb.h"

namespace memprof::streams {

// The file of streams of PROFILE, which lies beside it at PROFILE_PATH. An error if there is none, or
// it is damaged, or of another run.
feedback::Result<StreamFile> open_streams(const feedback::Profile& profile,
                                          const std::string& profile_path);

struct Access {
  std::uint32_t thread, site, group, object;
  std::uint64_t offset, address;
  std::uint32_t row = 0;  // of the object, in ObjectTable::rows(), plus 1; 0: it has none
};

struct ObjectRow {
  std::uint32_t group, serial, thread;
  std::uint64_t base, bytes;
  std::uint64_t birth, death;  // accesses before it; death k_alive: it never died
};
inline constexpr std::uint64_t k_alive = ~std::uint64_t{0};

// All objects of a run.
class ObjectTable {
 public:
  static feedback::Result<ObjectTable> read(const StreamFile& file);
  const std::vector<ObjectRow>& rows() const { return rows_; }
  // Its place in rows(), plus 1. 0: there is none.
  std::uint32_t find(std::uint32_t group, std::uint32_t serial) const {
    const std::uint32_t* const place = place_of(group, serial);
    return place == nullptr ? 0 : *place;
  }
  void prefetch(std::uint32_t group, std::uint32_t serial) const { __builtin_prefetch(place_of(group, serial)); }

 private:
  const std::uint32_t* place_of(std::uint32_t group, std::uint32_t serial) const {
    if (group >= by_group_.size() || serial >= by_group_[group].size()) return nullptr;
    return &by_group_[group][serial];
  }
  std::vector<ObjectRow> rows_;                         // by birth
  std::vector<std::vector<std::uint32_t>> by_group_;  // serial to row + 1
};

// The accesses of a segment, in the order in which they were read.
class SegmentReader {
 public:
  // What does not fit together is an error here.
  static feedback::Result<SegmentReader> read(const StreamFile& file, std::uint64_t segment,
                                              const ObjectTable& objects);
  // Calls fn(const Access*, count) for all of them, in pieces; once. An object that the table lacks has base 0.
  template <typename Fn>
  void for_each_piece(Fn&& fn) {
    std::array<Access, k_some> accesses;
    for (const Turn& turn : turns_) {
      for (std::uint64_t left = turn.count; left > 0;) {
        const std::size_t some = std::min<std::uint64_t>(left, k_some);
        take(turn.thread, accesses.data(), some);
        fn(accesses.data(), some);
        left -= some;
      }
    }
  }

 private:
  struct Turn {
    std::uint32_t thread;
    std::uint64_t count;
  };
  static constexpr std::size_t k_some = 512;  // accesses that are expanded at a time
  struct Thread {
    std::vector<Grammar> grammars;  // by dimension
    std::vector<Expander> sequences;
    std::array<std::array<Symbol, k_some>, k_omsg_dimensions> symbols;
    bool differences = false;
    std::uint64_t object = 0;       // of the access before
    std::uint64_t accesses = 0;
  };
  void take(std::uint32_t number, Access* to, std::size_t count);
  feedback::Status add(const Block& block, const StreamFile& file);
  bool complete() const;

  const ObjectTable* objects_ = nullptr;
  std::vector<Turn> turns_;
  std::map<std::uint32_t, std::unique_ptr<Thread>> threads_;
};

// Calls fn(const Access*, count) for all accesses of FILE, in pieces, in the order in which they were read.
template <typename Fn>
feedback::Status for_each_piece(const StreamFile& file, const ObjectTable& objects, Fn&& fn) {
  const std::uint64_t segments =
      file.blocks().empty() ? 0 : file.blocks().back().segment + 1;
  for (std::uint64_t s = 0; s < segments; s++) {
    auto segment = SegmentReader::read(file, s, objects);
    if (!segment) return segment.error();
    segment->for_each_piece(fn);
  }
  return feedback::Nothing{};
}

// Calls fn(const Access&) for all of them.
template <typename Fn>
feedback::Status for_each_access(const StreamFile& file, const ObjectTable& objects, Fn&& fn) {
  return for_each_piece(file, objects, [&fn](const Access* accesses, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) fn(accesses[i]);
  });
}

}  // namespace memprof::streams
