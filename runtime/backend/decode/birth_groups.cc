// birth_groups.cc - which group a heap object belongs to.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/birth_groups.h"

#include <algorithm>
#include <utility>

namespace memprof::backend {

const char* allocator_name(std::uint64_t allocator) {
  static const char* const names[] = {"malloc", "calloc", "realloc", "memalign", "mmap", "custom", "unmap"};
  return allocator <= MPRT_UNMAP ? names[allocator] : nullptr;
}

GroupId BirthGroups::group_of(std::uint64_t site, std::uint64_t caller,
                              std::uint64_t allocator) {
  if (allocator > MPRT_CUSTOM) allocator = MPRT_MALLOC;
  const GroupId* const known =
      site ? by_site_.find(site) : by_caller_.find(caller << 3 | allocator);
  return known ? *known : new_group(site, caller, allocator);
}

GroupId BirthGroups::new_group(std::uint64_t site, std::uint64_t caller,
                               std::uint64_t allocator) {
  feedback::Group group;
  group.kind = allocator == MPRT_MMAP ? feedback::GroupKind::mapped
                                      : feedback::GroupKind::heap;
  if (site) {
    const AllocSite where = units_.alloc_site(site);
    if (where.unit) {
      const UnitImage& image = where.unit->image;
      const mprt_alloc_site& row = image.alloc_rows()[where.row];
      const mprt_function& fn = image.functions()[row.function];
      group.file = image.text(row.file ? row.file : fn.file);
      group.line = row.line;
      group.function = image.text(fn.name);
      group.allocator = image.text(row.allocator);
      group.type = image.text(row.type);
      group.wrapper = image.text(row.wrapper);
      const GroupId id = groups_.intern(std::move(group));
      origins_[id] = {site, caller, allocator};
      return by_site_.add(site, id);
    }
  }
  if (hooks_.name_code) group.function = hooks_.name_code(caller);
  group.allocator = allocator_name(allocator);
  const GroupId id = groups_.intern(std::move(group));
  origins_[id] = {0, caller, allocator};
  return by_caller_.add(caller << 3 | allocator, id);
}

std::vector<mprt_live_object> BirthGroups::live_objects(const ObjectManager& objects) const {
  std::vector<mprt_live_object> live;
  objects.for_each([&](const Object& object) {
    if (const auto it = origins_.find(object.group); it != origins_.end())
      live.push_back({object.base, object.size(), it->second.site,
                      it->second.caller, it->second.allocator});
  });
  std::sort(live.begin(), live.end(), [](const auto& a, const auto& b) {
    return a.address < b.address;
  });
  return live;
}

}  // namespace memprof::backend
