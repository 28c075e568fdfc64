// object_life.cc - births and deaths of objects, as the batch reports them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/object_life.h"

#include "runtime/backend/base/fault.h"

namespace memprof::backend {

void ObjectLife::report(EventKind kind, const Object& object, std::uint64_t bytes) {
  Batch& batch = out_.batch();
  const auto target = static_cast<std::uint32_t>(batch.targets.size());
  batch.targets.push_back({object.base, bytes, object.group, object.serial, out_.thread()});
  out_.emit_wide(kind, object.base, target, bytes);
}

void ObjectLife::died(const Object& object) {
  if (!between_bursts()) report(EventKind::death, object, object.size());
}

void ObjectLife::born(const Object* object, const std::vector<Object>& gone, std::uint64_t bytes) {
  for (const Object& old : gone) died(old);
  note_memory();
  if (!object)
    counts_.corrupt++;
  else if (!between_bursts())
    report(EventKind::birth, *object, bytes);
}

void ObjectLife::birth(std::uint64_t address, std::uint64_t bytes, GroupId group) {
  const Object* object = objects_.birth(address, bytes, group);
  born(object, objects_.evicted(), bytes);
}

void ObjectLife::map(std::uint64_t address, std::uint64_t bytes, GroupId group) {
  const Object* object = mappings_.map(address, bytes, group);
  born(object, mappings_.gone(), bytes);
}

void ObjectLife::unmap(std::uint64_t address, std::uint64_t bytes) {
  mappings_.unmap(address, bytes);
  for (const Object& old : mappings_.gone()) died(old);
  note_memory();
}

void ObjectLife::carve(std::uint64_t address, std::uint64_t bytes, GroupId group) {
  const Object* object = objects_.carve(address, bytes, group);
  for (const Object& old : objects_.evicted()) died(old);
  note_memory();
  if (object && !between_bursts()) report(EventKind::birth, *object, bytes);
}

void ObjectLife::global_birth(std::uint64_t address, std::uint64_t bytes, GroupId group) {
  const Object* object = objects_.birth(address, bytes, group);
  for (const Object& old : objects_.evicted()) died(old);
  if (!object)
    counts_.corrupt++;
  else
    report(EventKind::global_birth, *object, bytes);
}

void ObjectLife::death(std::uint64_t address) {
  if (g_fault == Fault::object_reuse) return;
  const auto object = objects_.death(address);
  for (const Object& old : objects_.evicted()) died(old);
  if (object) died(*object);
  note_memory();
}

}  // namespace memprof::backend
