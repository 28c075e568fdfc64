// stream_options.cc - what streams= of MPRT_OPTIONS says to the module whole_stream.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/stream_options.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace memprof::backend {
namespace {

// "512M": a number with K, M or G; 0 if it is none.
std::uint64_t parse_size(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const std::uint64_t number = std::strtoull(text.c_str(), &end, 10);
  if (end == text.c_str() || errno != 0 || text.front() == '-') return 0;
  unsigned shift = 0;
  if (*end == 'K' || *end == 'k') shift = 10;
  if (*end == 'M' || *end == 'm') shift = 20;
  if (*end == 'G' || *end == 'g') shift = 30;
  if (end[shift != 0] != '\0' || number << shift >> shift != number) return 0;
  return number << shift;
}

}  // namespace

StreamOptions parse_stream_options(std::string_view list, std::string* wrong) {
  StreamOptions options;
  bool stack_said = false;
  while (!list.empty()) {
    const std::string word(list.substr(0, list.find(',')));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::uint64_t number = equals == word.npos ? 0 : parse_size(word.substr(equals + 1));
    if (word == "rasg")
      options.recorder.addresses = true;
    else if (word == "delta")
      options.recorder.object_differences = true;
    else if (word == "stack" || word == "nostack")
      stack_said = true, options.stack = word == "stack";
    else if (key == "limit" && number != 0)
      options.recorder.limit = number;
    else if (key == "stop" && number != 0)
      options.recorder.stop = number;
    else if (!word.empty() && wrong->empty())
      *wrong = word;
  }
  // The papers compare without.
  if (options.recorder.addresses && !stack_said) options.stack = false;
  return options;
}

}  // namespace memprof::backend
