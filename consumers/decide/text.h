// text.h - numbers in the texts of decisions.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace memprof::decide {

// TEXT with VALUE for its one conversion.
inline std::string format(const char* text, double value) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, text, value);
  return buffer;
}

inline std::string bytes_text(std::uint64_t bytes) {
  if (bytes >= 1000000) return format("%.1f MB", static_cast<double>(bytes) / 1e6);
  if (bytes >= 1000) return format("%.1f KB", static_cast<double>(bytes) / 1e3);
  return format("%.0f B", static_cast<double>(bytes));
}

// "1 load", "2 loads".
inline std::string counted(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace memprof::decide
