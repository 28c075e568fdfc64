// mappings.cc - mappings, of which parts end, or are mapped anew, before the rest.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/program/mappings.h"

namespace memprof::backend {

// The divided mapping that PIECE is left of, or the end.
Mappings::Divided::iterator Mappings::divided(const Object& piece) {
  for (auto it = divided_.upper_bound(piece.base); it != divided_.begin();) {
    --it;
    if (it->second.whole.group == piece.group && piece.end() <= it->second.whole.end()) return it;
  }
  return divided_.end();
}

// OBJECT, which is a mapping or a piece of one, has lost [first, last).
void Mappings::divide(const Object& object, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t before = object.base < first ? first - object.base : 0;
  const std::uint64_t after = object.end() > last ? object.end() - last : 0;
  auto mapping = divided_.end();
  if (ObjectManager::piece_p(object)) {
    mapping = divided(object);
  } else if (before + after == 0) {
    gone_.push_back(object);
    return;
  } else {
    mapping = divided_.insert_or_assign(object.base, Mapping{object, object.size()}).first;
  }
  if (mapping != divided_.end()) {
    mapping->second.left -= object.size() - before - after;
    if (mapping->second.left == 0) {
      gone_.push_back(mapping->second.whole);
      divided_.erase(mapping);
    }
  }
  objects_.put_piece(object.base, object.base + before, object.group);
  objects_.put_piece(object.end() - after, object.end(), object.group);
}

void Mappings::unmap(std::uint64_t base, std::uint64_t size) {
  gone_.clear();
  for (const Object& object : objects_.clear(base, size, gone_))
    if (objects_.kind(object) == feedback::GroupKind::mapped)
      divide(object, base, base + size);
    else if (!ObjectManager::piece_p(object))
      gone_.push_back(object);
}

const Object* Mappings::map(std::uint64_t base, std::uint64_t size, GroupId group) {
  unmap(base, size);
  const Object* const made = objects_.birth(base, size, group);
  // An empty object may have been there.
  gone_.insert(gone_.end(), objects_.evicted().begin(), objects_.evicted().end());
  return made;
}

}  // namespace memprof::backend
