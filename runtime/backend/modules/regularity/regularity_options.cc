// regularity_options.cc - what regularity= of MPRT_OPTIONS says: how streams are found.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/regularity/regularity_options.h"

#include <algorithm>

#include "runtime/backend/modules/geometry_fields.h"

namespace memprof::backend {
namespace {

// WORD is NAME=NUMBER.
bool parse_word(std::string_view word, RegularityOptions& options) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos) return false;
  const std::string_view name = word.substr(0, equals);
  std::string_view rest = word.substr(equals + 1);
  std::uint64_t value = 0;
  if (!take_number(rest, value) || !rest.empty()) return false;
  if (name == "window") {
    options.window = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(value, RegularityOptions::k_most_window));
    return value >= 2 && value <= RegularityOptions::k_most_window;
  }
  if (name == "expire")
    options.expire = value;
  else if (name == "samples")
    options.samples = value;
  else
    return false;
  return true;
}

}  // namespace

bool parse_regularity_options(std::string_view text, RegularityOptions& options) {
  RegularityOptions changed = options;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!parse_word(word, changed)) return false;
  }
  options = changed;
  return true;
}

}  // namespace memprof::backend
