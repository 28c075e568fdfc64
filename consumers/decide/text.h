// text.h - numbers in the texts of decisions.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
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

// "1234", or "1200 +-300" of an estimate that may be off by HALF: as many digits as that leaves.
inline std::string estimate_text(double count, double half) {
  if (!(half >= 0.5)) return format("%.0f", count);
  double unit = 1;
  while (unit * 10 <= half) unit *= 10;
  return format("%.0f", std::round(count / unit) * unit) + format(" +-%.0f", std::round(half / unit) * unit);
}

// "12.3 %", or "12.3 to 14.5 %".
inline std::string range_text(double least, double most) {
  return 100 * (most - least) < 0.05 ? format("%.1f %%", 100 * least)
                                     : format("%.1f to ", 100 * least) + format("%.1f %%", 100 * most);
}

// "1 load", "2 loads".
inline std::string counted(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace memprof::decide
