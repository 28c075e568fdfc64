// pmu_events.cc - which events of this machine sample accesses with their addresses.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/pmu_events.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace memprof::backend {

namespace {

constexpr unsigned k_most_precise = 3;  // Intel's kernel code lowers what it cannot do to 2

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Puts VALUE where FORMAT, as in "config1:0-7,32-35", says. False: it makes no sense.
bool place(const std::string& format, std::uint64_t value, PmuEvent& event) {
  static constexpr const char* words[] = {"config", "config1", "config2"};
  const std::size_t colon = format.find(':');
  std::uint64_t* config = nullptr;
  for (unsigned i = 0; i < 3; i++)
    if (format.substr(0, colon) == words[i]) config = &event.config[i];
  if (colon == format.npos || config == nullptr) return false;
  std::istringstream ranges(format.substr(colon + 1));
  for (std::string range; std::getline(ranges, range, ',');) {
    unsigned first, last;
    const int numbers = std::sscanf(range.c_str(), "%u-%u", &first, &last);
    if (numbers < 1) return false;
    if (numbers == 1) last = first;
    if (last < first || last > 63) return false;
    for (unsigned bit = first; bit <= last; bit++, value >>= 1)
      *config |= (value & 1) << bit;
  }
  return true;
}

bool parse_terms(const std::string& terms, const std::string& device, PmuEvent& event) {
  std::istringstream list(terms);
  for (std::string term; std::getline(list, term, ',');) {
    const std::size_t equals = term.find('=');
    const std::uint64_t value =
        equals == term.npos ? 1 : std::strtoull(term.c_str() + equals + 1, nullptr, 0);
    if (!place(first_line(device + "/format/" + term.substr(0, equals)), value, event)) return false;
  }
  return true;
}

}  // namespace

std::vector<PmuEvent> pmu_events(const std::string& devices) {
  std::vector<PmuEvent> events;
  const auto device_type = [&](const std::string& device, PmuEvent& event) {
    const std::string text = first_line(devices + '/' + device + "/type");
    event.type = static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
    return !text.empty();
  };
  for (const std::string device : {"cpu", "cpu_core"})
    for (const std::string name : {"mem-loads", "mem-stores"}) {
      PmuEvent event{device + '/' + name};
      const std::string terms = first_line(devices + '/' + device + "/events/" + name);
      event.precise = k_most_precise;
      if (!terms.empty() && device_type(device, event) &&
          parse_terms(terms, devices + '/' + device, event))
        events.push_back(event);
    }
  PmuEvent ibs{"ibs_op"};
  if (events.empty() && device_type(ibs.name, ibs)) events.push_back(ibs);
  return events;
}

}  // namespace memprof::backend
