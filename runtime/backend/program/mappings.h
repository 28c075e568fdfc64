// mappings.h - mappings, of which parts end, or are mapped anew, before the rest.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// No two objects of the manager overlap, so a mapping that loses a part is divided: what is left of
// it are pieces, objects of its group. Its life ends with the last piece.
//
//     mmap        [0 ................... 64)   a reservation, mmap at a.c:3
//     mmap fixed  [8, 12)
//     ->          [0, 8) piece, [8, 12) object of mmap at a.c:4, [12, 64) piece
//     munmap      [0, 64)
//     ->          both end
//
// What is no mapping, but lies where one begins or ends, dies as a whole: its death was not seen.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/backend/program/object_manager.h"

namespace memprof::backend {

class Mappings {
 public:
  explicit Mappings(ObjectManager& objects) : objects_(objects) {}

  // As ObjectManager::birth(), but of other mappings only the part that it covers ends.
  const Object* map(std::uint64_t base, std::uint64_t size, GroupId group);
  // What is mapped at these bytes ends.
  void unmap(std::uint64_t base, std::uint64_t size);
  // The objects of which nothing was left after that.
  const std::vector<Object>& gone() const { return gone_; }

 private:
  struct Mapping {
    Object whole;
    std::uint64_t left;  // bytes that are still mapped
  };
  using Divided = std::map<std::uint64_t, Mapping>;
  Divided::iterator divided(const Object& piece);
  void divide(const Object& object, std::uint64_t first, std::uint64_t last);

  ObjectManager& objects_;
  Divided divided_;  // mappings that have lost a part, by base
  std::vector<Object> gone_;
};

}  // namespace memprof::backend
