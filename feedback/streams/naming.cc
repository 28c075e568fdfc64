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

// Different names have different keys: an object's row, and 37 bits of an offset in it.
std::uint64_t NameTable::key(const Access& a) const {
  if (naming_ == Naming::address) return a.address;
  if (a.group == 0) return k_unnamed;
  if (naming_ == Naming::group) return a.group;
  const ObjectRow* const row = objects_.find(a.group, a.object);
  if (row == nullptr) return k_unnamed;
  const auto number = static_cast<std::uint64_t>(row - objects_.rows().data());
  return naming_ == Naming::object ? number : number << 37 | (a.offset & ((1ull << 37) - 1));
}

Symbol NameTable::name(const Access& a, std::uint64_t bytes) {
  const std::uint64_t k = key(a);
  if (k == k_unnamed) return k_none;
  const auto next = static_cast<Symbol>(rows_.size());
  const Symbol name = names_.add(k, next);
  if (name == next) {
    NameRow& row = rows_.emplace_back();
    row.site = a.site;
    row.group = a.group;
    row.object = a.object;
    row.extent = {a.address, bytes};
    if (naming_ == Naming::field) row.offset = a.offset;
    if (naming_ == Naming::object || naming_ == Naming::group)
      if (const ObjectRow* object = objects_.find(a.group, a.object))
        row.extent = {object->base, object->bytes};
  }
  NameRow& row = rows_[name];
  row.references++;
  if (naming_ == Naming::field || naming_ == Naming::address)
    row.extent.bytes = std::max(row.extent.bytes, bytes);
  return name;
}

}  // namespace memprof::streams
