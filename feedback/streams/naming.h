// naming.h - what counts as one reference: an access, to a name.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   field     a place in an object (group, object, offset)
//   object    an object
//   group     all objects of an allocation site, in the contexts that the profile tells apart; of
//             two runs with other inputs the same
//   address   an address, whatever lies there
//
// `site-birth' (an allocation site and which of its objects) divides as `object' does, and
// `site-ctx3' (an allocation site with three callers) as `group': they are accepted for these.
//
// Accesses to stacks and to no known object have no name, but by `address'.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "feedback/flat_map.h"
#include "feedback/streams/access_reader.h"
#include "feedback/streams/cache_potential.h"
#include "feedback/streams/grammar.h"

namespace memprof::streams {

enum class Naming : std::uint8_t { field, object, group, address };
std::optional<Naming> naming_of(std::string_view text);
const char* name(Naming naming);

struct NameRow {
  std::uint64_t key = 0;   // NameTable's
  std::uint32_t site = 0;  // that accessed it first
  std::uint32_t group = 0, object = 0;
  std::uint64_t offset = 0;      // field only
  std::uint64_t references = 0;
  Extent extent;                 // of the place, or of the object
};

class NameTable {
 public:
  NameTable(Naming naming, const ObjectTable& objects) : naming_(naming), objects_(objects) {}

  static constexpr Symbol k_none = feedback::FlatRows<NameRow>::k_none;
  // Of an access of BYTES; k_none: it has no name.
  Symbol name(const Access& access, std::uint64_t bytes);
  // It will be named soon, and sooner.
  void prefetch(const Access& access) const { rows_.prefetch(key(access)); }
  void prefetch_row(const Access& access) const {
    if (const Symbol name = rows_.number(key(access)); name != k_none) __builtin_prefetch(&rows_[name], 1);
  }
  const std::vector<NameRow>& rows() const { return rows_.rows(); }

 private:
  static constexpr std::uint64_t k_unnamed = ~std::uint64_t{0};
  // Different names have different keys: an object's row, and 37 bits of an offset in it.
  std::uint64_t key(const Access& a) const {
    if (naming_ == Naming::address) return a.address;
    if (a.group == 0) return k_unnamed;
    if (naming_ == Naming::group) return a.group;
    if (a.row == 0) return k_unnamed;
    const std::uint64_t number = a.row - 1;
    return naming_ == Naming::object ? number : number << 37 | (a.offset & ((1ull << 37) - 1));
  }

  const Naming naming_;
  const ObjectTable& objects_;
  feedback::FlatRows<NameRow> rows_;  // their numbers are the names
};

}  // namespace memprof::streams
