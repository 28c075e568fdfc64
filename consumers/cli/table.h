// table.h - text in columns, and numbers as people read them.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace memprof::cli {

enum class Tint { none, good, bad, dim };

// Whether escape sequences for colour may be printed.
struct Style {
  bool colour = false;
  // Colours only on a terminal, and not when NO_COLOR is set to anything
  // (no-color.org) or the terminal is dumb.
  static Style of(std::FILE* file);
  std::string heading(std::string_view text) const;
  std::string tinted(std::string_view text, Tint tint) const;
};

struct Column {
  const char* title;
  bool right = false;      // numbers
  std::size_t widest = 0;  // longer cells lose their middle; 0: never
};

struct Cell {
  Cell(std::string t, Tint c = Tint::none) : text(std::move(t)), tint(c) {}
  Cell(const char* t) : text(t) {}
  std::string text;
  Tint tint = Tint::none;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // As many cells as there are columns.
  void add_row(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  // Two spaces between columns, none at the end of a line.
  std::string text(const Style& style) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Text of a profile comes from anybody's source code: control characters, which
// could drive a terminal, become '?'.
std::string printable(std::string_view text);

// TEXT, without its middle when it is long: names of templates run over several lines.
std::string shortened(const std::string& text);

// Columns that TEXT takes: code points of UTF-8.
std::size_t display_width(std::string_view text);

std::string grouped(std::uint64_t n);     // 1,234,567
// "1,234,567", or "1,200,000 +-30,000" of an estimate: as many digits as its error leaves. If that
// is greater than COUNT: "at most 40".
std::string count_text(std::uint64_t count, std::uint64_t error);
// The same; ERROR is relative.
std::string estimate_text(std::uint64_t count, double error);
// "1 loop", "3 loops"; MANY for words that do not take an s.
std::string counted(std::uint64_t n, const char* one, const char* many = nullptr);
std::string percent(double share);        // 0.123 -> "12.3 %"
std::string signed_bytes(std::int64_t n); // "+8", "-16", "0"
std::string size_text(std::uint64_t n);   // 1536 -> "1.5 KiB"
std::string decimal(double x);            // 3 significant digits at least
std::string utc_text(std::uint64_t seconds);  // since 1970 -> "2026-11-30T01:55:54Z"

}  // namespace memprof::cli
