// visit_trace.h - which small heap objects a program visits, one after the other.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An object of at most 512 bytes can share a cache line with others, so its place matters. Of those
// the trace has
//
//   births, deaths   all, in their order: from them follows where an allocator would have put each
//   visits           (object, part of 16 bytes, whether a pointer is loaded) of each access that goes
//                    to another object, or to another part of it, than the access before
//
// Visits are many, so the trace keeps bursts of 2^15 of them. When 2^21 are kept, every other
// burst is dropped, and from then on half as many are taken: of a run of any length between 2^20
// and 2^21 visits stay, spread over all of it.
//
//     visits    aaaabbbbccccdddd        full: keep aaaa cccc, later one burst in two
//
// Memory: 16 bytes for an object, 8 for a death, at most 2^23 objects; what is born later is not
// followed.
//
// Visits of several threads are in one trace, in the order in which they were read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/backend/event/batch.h"

namespace memprof::backend {

class VisitTrace {
 public:
  static constexpr std::uint64_t k_largest = 512;  // bytes of an object
  static constexpr unsigned k_part_bits = 4;       // an object has parts of 16 bytes
  static constexpr unsigned k_parts = k_largest >> k_part_bits;
  static constexpr std::size_t k_most_objects = std::size_t{1} << 23;
  static constexpr std::size_t k_burst = std::size_t{1} << 15, k_most_visits = std::size_t{1} << 21;

  struct Object {
    std::uint64_t base;
    std::uint32_t group;  // a number of group()
    std::uint32_t bytes;
  };
  struct Death {
    std::uint32_t births;  // before it
    std::uint32_t object;
  };
  struct Visit {
    std::uint32_t object, part;
    bool pointer;  // a pointer is loaded, so that the next visit may have to wait for it
  };

  void birth(GroupId group, std::uint32_t serial, std::uint64_t base, std::uint64_t bytes);
  void death(GroupId group, std::uint32_t serial);
  void access(GroupId group, std::uint32_t serial, std::uint64_t offset, bool pointer = true);

  const std::vector<Object>& objects() const { return objects_; }
  const std::vector<Death>& deaths() const { return deaths_; }
  // Groups of small objects have numbers from 0.
  std::size_t groups() const { return groups_.size(); }
  GroupId group(std::size_t number) const { return groups_[number].id; }
  std::uint64_t visits_of(std::size_t number) const { return groups_[number].visits; }  // all
  std::uint64_t visits() const { return visits_; }                                      // all
  // Those that are kept.
  std::size_t size() const { return kept_.size(); }
  Visit operator[](std::size_t i) const {
    return {kept_[i] / (2 * k_parts), kept_[i] / 2 % k_parts, kept_[i] % 2 != 0};
  }

 private:
  static constexpr std::uint32_t k_unknown = ~std::uint32_t{0};
  struct Group {
    GroupId id;
    std::uint64_t visits = 0;
    std::vector<std::uint32_t> objects;  // by serial number
  };
  // k_unknown: none that is followed.
  std::uint32_t find(GroupId group, std::uint32_t serial) const;
  void keep(std::uint32_t visit);
  void thin_out();

  std::vector<Object> objects_;
  std::vector<Death> deaths_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> number_of_;  // by GroupId, plus one; 0: none
  std::vector<std::uint32_t> kept_;
  std::uint64_t visits_ = 0, every_ = 1;  // one burst in `every_' is kept
  std::uint32_t last_ = k_unknown;  // object and part of the last access
};

}  // namespace memprof::backend
