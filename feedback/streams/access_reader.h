// access_reader.h - a file of streams back to accesses, in order.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
      for (std::uint64_t i = 0; i < turn.count; i++) fn(next(turn.thread, thread));
    }
  }

 private:
  struct Turn {
    std::uint32_t thread;
    std::uint64_t count;
  };
  struct Thread {
    std::vector<Grammar> grammars;  // by dimension
    std::vector<Expander> sequences;
    bool differences = false;
    std::uint64_t object = 0;       // of the access before
    std::uint64_t accesses = 0;
  };
  Access next(std::uint32_t number, Thread& t) {
    std::uint64_t site = 0, group = 0, object = 0;
    Access a{};
    t.sequences[0].next_value(site);
    t.sequences[1].next_value(group);
    t.sequences[2].next_value(object);
    t.sequences[3].next_value(a.offset);
    if (t.differences) object = t.object + static_cast<std::uint64_t>(unzigzag(object));
    t.object = object;
    a.thread = number;
    a.site = static_cast<std::uint32_t>(site);
    a.group = static_cast<std::uint32_t>(group);
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
