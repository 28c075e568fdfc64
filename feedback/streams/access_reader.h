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
  // Null if there is none.
  const ObjectRow* find(std::uint32_t group, std::uint32_t serial) const {
    if (group >= by_group_.size() || serial >= by_group_[group].size()) return nullptr;
    const std::uint32_t row = by_group_[group][serial];
    return row == 0 ? nullptr : &rows_[row - 1];
  }

 private:
  std::vector<ObjectRow> rows_;                         // by birth
  std::vector<std::vector<std::uint32_t>> by_group_;  // serial to row + 1
};

// The accesses of a segment, in the order in which they were read.
class SegmentReader {
 public:
  // What does not fit together is an error here.
  static feedback::Result<SegmentReader> read(const StreamFile& file, std::uint64_t segment,
                                              const ObjectTable& objects);
  // Calls fn(const Access&) for each; once. An object that the table lacks has base 0.
  template <typename Fn>
  void for_each(Fn&& fn) {
    for (const Turn& turn : turns_) {
      Thread& thread = *threads_[turn.thread];
      for (std::uint64_t left = turn.count; left > 0;) {
        const std::size_t some = std::min<std::uint64_t>(left, k_some);
        for (unsigned d = 0; d < k_omsg_dimensions; d++)
          thread.sequences[d].take(thread.symbols[d].data(), some);
        for (std::size_t i = 0; i < some; i++) fn(access(turn.thread, thread, i));
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
  Access access(std::uint32_t number, Thread& t, std::size_t i) {
    const auto value = [&](unsigned d) { return t.grammars[d].alphabet.value(t.symbols[d][i]); };
    std::uint64_t object = value(2);
    Access a{};
    a.offset = value(3);
    if (t.differences) object = t.object + static_cast<std::uint64_t>(unzigzag(object));
    t.object = object;
    a.thread = number;
    a.site = static_cast<std::uint32_t>(value(0));
    a.group = static_cast<std::uint32_t>(value(1));
    a.object = static_cast<std::uint32_t>(object);
    const ObjectRow* const row = objects_->find(a.group, a.object);
    a.address = (row == nullptr ? 0 : row->base) + a.offset;
    return a;
  }
  feedback::Status add(const Block& block, const std::string& file);
  bool complete() const;

  const ObjectTable* objects_ = nullptr;
  std::vector<Turn> turns_;
  std::map<std::uint32_t, std::unique_ptr<Thread>> threads_;
};

// Calls fn(const Access&) for all accesses of FILE, in the order in which they were read.
template <typename Fn>
feedback::Status for_each_access(const StreamFile& file, const ObjectTable& objects, Fn&& fn) {
  const std::uint64_t segments =
      file.blocks().empty() ? 0 : file.blocks().back().segment + 1;
  for (std::uint64_t s = 0; s < segments; s++) {
    auto segment = SegmentReader::read(file, s, objects);
    if (!segment) return segment.error();
    segment->for_each(fn);
  }
  return feedback::Nothing{};
}

}  // namespace memprof::streams
