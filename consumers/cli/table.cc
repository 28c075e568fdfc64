// table.cc - text in columns, and numbers as people read them.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/table.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "consumers/decide/whole.h"

namespace memprof::cli {
namespace {

// SGR sequences of ECMA-48.
const char* escape(Tint tint) {
  switch (tint) {
    case Tint::good: return "\033[32m";
    case Tint::bad: return "\033[31m";
    case Tint::dim: return "\033[2m";
    case Tint::none: break;
  }
  return "";
}

constexpr const char* k_bold = "\033[1m";
constexpr const char* k_plain = "\033[0m";

bool continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The first N code points of TEXT.
std::string_view code_points(std::string_view text, std::size_t n) {
  std::size_t i = 0;
  for (; i < text.size(); ++i)
    if (!continuation(text[i]) && n-- == 0) break;
  return text.substr(0, i);
}

// Without the middle: the ends of names of templates tell them apart.
std::string cut(const std::string& text, std::size_t widest) {
  const std::size_t width = display_width(text);
  if (widest < 4 || width <= widest) return text;
  const std::size_t tail = (widest - 3) / 2, head = widest - 3 - tail;
  return std::string(code_points(text, head)) + "..." +
         text.substr(code_points(text, width - tail).size());
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  std::string fill(width - std::min(width, display_width(text)), ' ');
  return right ? fill + text : text + fill;
}

}  // namespace

Style Style::of(std::FILE* file) {
  const char* off = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  Style style;
  style.colour = isatty(fileno(file)) && !(off && *off) && terminal &&
                 std::string_view(terminal) != "dumb";
  return style;
}

std::string Style::heading(std::string_view text) const {
  return colour ? k_bold + std::string(text) + k_plain : std::string(text);
}

std::string Style::tinted(std::string_view text, Tint tint) const {
  if (!colour || tint == Tint::none) return std::string(text);
  return escape(tint) + std::string(text) + k_plain;
}

void Table::add_row(std::vector<Cell> cells) {
  assert(cells.size() == columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i].text = cut(printable(cells[i].text), columns_[i].widest);
  rows_.push_back(std::move(cells));
}

std::string Table::text(const Style& style) const {
  std::vector<std::size_t> width;
  for (const Column& column : columns_) width.push_back(display_width(column.title));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      width[i] = std::max(width[i], display_width(row[i].text));

  std::string out;
  // Tints go around the padded cell, so that escapes never count as columns.
  auto line = [&](auto&& cell) {
    std::string plain, shown;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      auto [text, tint] = cell(i);
      bool last = i + 1 == columns_.size();
      std::string column = padded(text, last && !columns_[i].right ? 0 : width[i],
                                  columns_[i].right);
      plain += column;
      shown += style.tinted(column, tint);
      if (!last) plain += "  ", shown += "  ";
    }
    if (shown == plain) shown.erase(shown.find_last_not_of(' ') + 1);
    return shown;
  };
  out += style.heading(line([&](std::size_t i) {
           return std::pair<std::string, Tint>(columns_[i].title, Tint::none);
         })) + "\n";
  for (const auto& row : rows_)
    out += line([&](std::size_t i) { return std::pair(row[i].text, row[i].tint); }) + "\n";
  return out;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t k_longest = 80, k_end = 38;
  if (text.size() <= k_longest) return text;
  // Not within a character of several bytes.
  const auto inside = [&](std::size_t at) { return (text[at] & 0xc0) == 0x80; };
  std::size_t head = k_end, tail = text.size() - k_end;
  while (head > 0 && inside(head)) head--;
  while (tail < text.size() && inside(tail)) tail++;
  return text.substr(0, head) + "..." + text.substr(tail);
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  // C1 controls, as UTF-8: U+0080 to U+009F.
  for (std::size_t i = 0; i + 1 < out.size(); ++i)
    if (out[i] == '\xc2' && static_cast<unsigned char>(out[i + 1]) < 0xa0)
      out[i] = out[i + 1] = '?';
  return out;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continuation(c); }));
}

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n), out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string count_text(std::uint64_t count, std::uint64_t error) {
  if (error == 0) return grouped(count);
  std::uint64_t unit = 1;  // digits below the first one of the error say nothing
  while (unit <= error / 10) unit *= 10;
  const auto rounded = [unit](std::uint64_t n) {
    return grouped(n / unit * unit + (n % unit >= (unit + 1) / 2 ? unit : 0));
  };
  if (error > count) return "at most " + rounded(count + error);
  return rounded(count) + " +-" + rounded(error);
}

std::string estimate_text(std::uint64_t count, double error) {
  const double half = error * static_cast<double>(count);
  return count_text(count, half < 0x1p62 ? static_cast<std::uint64_t>(std::llround(half)) : ~std::uint64_t{0} / 2);
}

std::string counted(std::uint64_t n, const char* one, const char* many) {
  std::string s = grouped(n) + " ";
  if (n == 1) return s + one;
  return s + (many ? many : std::string(one) + "s");
}

std::string percent(double share) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f %%", 100 * share);
  return buffer;
}

std::string signed_bytes(std::int64_t n) {
  return n > 0 ? "+" + std::to_string(n) : std::to_string(n);
}

std::string size_text(std::uint64_t n) {
  static const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(n);
  unsigned unit = 0;
  // 1023.95 would print as 1024.0 of the smaller unit.
  while (value >= 1023.95 && unit + 1 < std::size(units)) value /= 1024, ++unit;
  char buffer[32];
  double rounded = std::round(value * 10) / 10;
  bool whole = rounded == std::floor(rounded);
  std::snprintf(buffer, sizeof buffer, "%.*f %s", whole ? 0 : 1, rounded, units[unit]);
  return buffer;
}

std::string decimal(double x) {
  if (x >= 100) return grouped(decide::whole(std::round(x)));
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", x);
  return buffer;
}

std::string utc_text(std::uint64_t seconds) {
  constexpr std::uint64_t k_year_9999 = 253402300799;  // the last one with four digits
  const auto time = static_cast<std::time_t>(std::min(seconds, k_year_9999));
  std::tm parts{};
  gmtime_r(&time, &parts);
  char buffer[32];
  std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return buffer;
}

}  // namespace memprof::cli
