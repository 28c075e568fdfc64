// pmu_events.h - which events of this machine sample accesses with their addresses.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernel describes its counters below /sys/bus/event_source/devices:
//
//     cpu/type                4
//     cpu/events/mem-loads    event=0xcd,umask=0x1,ldlat=3      Intel: precise loads and stores
//     cpu/format/event        config:0-7                        where the bits of a term go
//     cpu/format/ldlat        config1:0-15
//     ibs_op/type             11                                AMD: instruction-based sampling
//
// Loads and stores of the device cpu (cpu_core of processors with two kinds of cores) are taken,
// else ibs_op. Where mem-loads needs a second event that opens its group (mem-loads-aux), the
// kernel refuses it, and the machine counts as one without.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memprof::backend {

struct PmuEvent {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t config[3] = {};
  unsigned precise = 0;
  // Accesses from one sample to the next; 0: the kernel chooses, for some 4000 samples a second.
  std::uint64_t period = 0;
};

// None: the machine has no counters that do it. DEVICES: the folder above.
std::vector<PmuEvent> pmu_events(const std::string& devices);

}  // namespace memprof::backend
