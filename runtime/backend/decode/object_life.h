// object_life.h - births and deaths of objects, as the batch reports them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Of births and deaths between bursts no module learns anything: what it knew of memory is
// forgotten when a burst begins. The object manager always does.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/backend/decode/object_resolver.h"
#include "runtime/backend/program/live_memory.h"
#include "runtime/backend/program/mappings.h"

namespace memprof::backend {

class ObjectLife {
 public:
  ObjectLife(BatchWriter& out, ObjectResolver& resolver, StreamCounts& counts)
      : out_(out), objects_(resolver.objects()), counts_(counts) {}

  void birth(std::uint64_t address, std::uint64_t bytes, GroupId group);
  // The same of a mapping, and the end of what is mapped there: mappings may lose parts.
  void map(std::uint64_t address, std::uint64_t bytes, GroupId group);
  void unmap(std::uint64_t address, std::uint64_t bytes);
  // A birth inside a block that lives on.
  void carve(std::uint64_t address, std::uint64_t bytes, GroupId group);
  // Of a variable of the program, whose memory is older: modules always learn of it.
  void global_birth(std::uint64_t address, std::uint64_t bytes, GroupId group);
  // Of the object that begins at ADDRESS, if there is one.
  void death(std::uint64_t address);

  // Whether all units record bursts only, or objects only.
  void set_mode(bool sampled, bool objects_only) { sampled_ = sampled, objects_only_ = objects_only; }
  const LiveMemory& memory() const { return memory_; }
  // A thread begins a burst, or ends it.
  void burst_begins() { open_bursts_++; }
  void burst_ends() { open_bursts_--; }

 private:
  bool between_bursts() const { return sampled_ && open_bursts_ == 0; }
  // OBJECT, null if there can be none, in the place of those that are GONE.
  void born(const Object* object, const std::vector<Object>& gone, std::uint64_t bytes);
  void died(const Object& object);
  void report(EventKind kind, const Object& object, std::uint64_t bytes);
  // Call it after objects were born or have died.
  void note_memory() {
    if (objects_.bytes_alive() != memory_.bytes()) memory_.note(clock(), objects_.bytes_alive());
  }
  std::uint64_t clock() const {
    return sampled_ ? counts_.places() : objects_only_ ? objects_.births() : out_.time();
  }

  BatchWriter& out_;
  ObjectManager& objects_;
  Mappings mappings_{objects_};
  StreamCounts& counts_;
  LiveMemory memory_;
  bool sampled_ = false, objects_only_ = false;
  std::uint32_t open_bursts_ = 0;  // of all threads
};

}  // namespace memprof::backend
