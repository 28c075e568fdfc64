// caches.cc - the caches and pages of this machine, as the kernel knows them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/machine/machine.h"

#include <unistd.h>

#include <fstream>

namespace memprof::backend {

// Not sysconf(3): of some AMD processors that gives the last level of all their parts together.
CacheLevel read_cache(const std::string& folder, int level, CacheLevel otherwise,
                      std::uint32_t most_ways) {
  const auto read = [&folder](int index, const char* name, auto& value) {
    std::ifstream file(folder + "/index" + std::to_string(index) + "/" + name);
    return static_cast<bool>(file >> value);
  };
  for (int index = 0, number; read(index, "level", number); index++) {
    std::string type;
    if (number != level || !read(index, "type", type) || type == "Instruction") continue;
    std::uint64_t kilobytes = 0;
    std::uint32_t ways = 0;
    if (!read(index, "size", kilobytes) || kilobytes == 0) break;
    read(index, "ways_of_associativity", ways);
    return {kilobytes << 10, ways > 0 && ways <= most_ways ? ways : otherwise.ways};
  }
  return otherwise;
}

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::uint64_t read_line_bytes() {
  std::uint64_t bytes = 0;
  if (std::ifstream("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size") >> bytes) return bytes;
  const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  return line > 0 ? static_cast<std::uint64_t>(line) : 0;
}

}  // namespace memprof::backend
