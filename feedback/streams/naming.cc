// naming.cc - what counts as one reference.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/naming.h"

#include <algorithm>

namespace memprof::streams {
namespace {

constexpr const char* k_names[] = {"field", "object", "group", "address"};

}  // namespace

std::optional<Naming> naming_of(std::string_view text) {
  for (unsigned i = 0; i < std::size(k_names); i++)
    if (text == k_names[i]) return Naming(i);
  if (text == "site-birth") return Naming::object;
  if (text == "site-ctx3") return Naming::group;
  return std::nullopt;
}

const char* name(Naming naming) { return k_names[static_cast<unsigned>(naming)]; }

Symbol NameTable::name(const Access& a, std::uint64_t bytes) {
  const std::uint64_t k = key(a);
  if (k == k_unnamed) return k_none;
  const auto next = static_cast<Symbol>(rows_.size());
  const Symbol name = rows_.add_number(k);
  NameRow& row = rows_[name];
  if (name == next) {
    row.site = a.site;
    row.group = a.group;
    row.object = a.object;
    row.extent = {a.address, bytes};
    if (naming_ == Naming::field) row.offset = a.offset;
    if (naming_ == Naming::object || naming_ == Naming::group)
      if (a.row != 0) row.extent = {objects_.rows()[a.row - 1].base, objects_.rows()[a.row - 1].bytes};
  }
  row.references++;
  if (naming_ == Naming::field || naming_ == Naming::address)
    row.extent.bytes = std::max(row.extent.bytes, bytes);
  return name;
}

}  // namespace memprof::streams
