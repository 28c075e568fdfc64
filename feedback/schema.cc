// schema.cc - names of keys and enumerators, and the format's version.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/schema.h"

#include <charconv>

namespace memprof::feedback {

const std::array<const char*, k_sections> k_section_names = {
    "memprof", "index", "program", "run", "modules", "groups",
#define TABLE(name, Row) #name,
#include "feedback/tables.def"
#undef TABLE
};

// In the order of the enumerators.
const char* const k_access_names[] = {"load", "store", nullptr};
const char* const k_group_kind_names[] = {"heap", "global", "stack", "mapped",
                                          "unknown", nullptr};

Section section_of(std::string_view name) {
  for (unsigned i = 0; i < k_sections; i++)
    if (name == k_section_names[i]) return Section(i);
  return Section::unknown;
}

bool parse_format(std::string_view text, unsigned* major, unsigned* minor) {
  const char* end = text.data() + text.size();
  auto first = std::from_chars(text.data(), end, *major);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.')
    return false;
  auto second = std::from_chars(first.ptr + 1, end, *minor);
  return second.ec == std::errc{} && second.ptr == end;
}

std::string format_text() {
  return std::to_string(k_format_major) + '.' + std::to_string(k_format_minor);
}

}  // namespace memprof::feedback
