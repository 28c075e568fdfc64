// live_objects.h - which object an address belongs to, also one past its end.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Accesses come with their objects (Batch::targets); for other addresses, such as
// the values of pointers, a module keeps the objects that are alive:
//
//     [100, 116) A    [116, 120) B    [200, 208) C
//     108  A          116  B, and the end of A          120  the end of B
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "runtime/backend/event/batch.h"

namespace memprof::backend {

// T is what a module knows of an object.
template <typename T>
class LiveObjects {
 public:
  struct Found {
    const T* in = nullptr;   // the object that holds the address
    const T* end = nullptr;  // the one that ends there
  };

  void born(std::uint64_t address, std::uint64_t bytes, const T& object) {
    died(address);
    objects_[address] = {address + bytes, object};
  }
  void died(std::uint64_t address) { objects_.erase(address); }
  Found find(std::uint64_t address) const {
    Found found;
    auto at = objects_.upper_bound(address);
    if (at == objects_.begin()) return found;
    --at;
    if (address < at->second.end)
      found.in = &at->second.object;
    else if (address == at->second.end)
      found.end = &at->second.object;
    if (address == at->first && at != objects_.begin())
      if (const auto& before = std::prev(at)->second; before.end == address)
        found.end = &before.object;
    return found;
  }

 private:
  struct Entry {
    std::uint64_t end;
    T object;
  };
  std::map<std::uint64_t, Entry> objects_;  // by address
};

}  // namespace memprof::backend
