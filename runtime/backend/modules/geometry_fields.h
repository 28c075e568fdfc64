// geometry_fields.h - sizes of caches as text: "L1=32K/8,TLB=1536/12,line=64".
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a model is made of, as an option says it and a profile names it. A geometry is a
// struct of levels and numbers, described by a list of fields:
//
//     struct Small { CacheLevel l1; std::uint32_t line; };
//     constexpr GeometryField<Small> k_small[] = {{"L1", &Small::l1, nullptr},
//                                                 {"line", nullptr, &Small::line}};
//     parse_fields("L1=32K/8", k_small, 64, small)    small.l1 is {32768, 8}
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/backend/machine/machine.h"

namespace memprof::backend {

template <class Geometry>
struct GeometryField {
  std::string_view name;
  CacheLevel Geometry::*level;      // or
  std::uint32_t Geometry::*number;  // from 1 to k_most_number
};
inline constexpr std::uint64_t k_most_number = 4096;

// A number with K, M or G after it; takes it from TEXT.
inline bool take_number(std::string_view& text, std::uint64_t& value) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value > std::uint64_t{1} << 40) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  constexpr std::string_view units = "KMG";
  if (const std::size_t unit = text.empty() ? units.npos : units.find(text[0]);
      unit != units.npos) {
    value <<= 10 * (unit + 1);
    text.remove_prefix(1);
  }
  return true;
}

// WORD is NAME=NUMBER or NAME=SIZE/WAYS.
template <class Geometry>
bool parse_field(std::string_view word, std::span<const GeometryField<Geometry>> fields,
                 std::uint32_t most_ways, Geometry& geometry) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos) return false;
  std::string_view rest = word.substr(equals + 1);
  for (const GeometryField<Geometry>& f : fields) {
    if (f.name != word.substr(0, equals)) continue;
    std::uint64_t value, ways = 1;
    if (!take_number(rest, value)) return false;
    if (f.number) {
      if (!rest.empty() || value == 0 || value > k_most_number) return false;
      geometry.*f.number = static_cast<std::uint32_t>(value);
      return true;
    }
    if (!rest.empty()) {
      if (rest[0] != '/') return false;
      rest.remove_prefix(1);
      if (!take_number(rest, ways) || !rest.empty()) return false;
    }
    if (ways == 0 || ways > most_ways) return false;
    geometry.*f.level = {value, static_cast<std::uint32_t>(ways)};
    return true;
  }
  return false;
}

// Words with commas between them. GEOMETRY is half changed where that is false.
template <class Geometry>
bool parse_fields(std::string_view text, std::span<const GeometryField<Geometry>> fields,
                  std::uint32_t most_ways, Geometry& geometry) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (!parse_field(text.substr(0, end), fields, most_ways, geometry)) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

inline std::string size_text(std::uint64_t n) {
  for (const auto& [shift, unit] : {std::pair{20, "M"}, {10, "K"}})
    if (n != 0 && n % (std::uint64_t{1} << shift) == 0)
      return std::to_string(n >> shift) + unit;
  return std::to_string(n);
}

// What parse_fields() reads.
template <class Geometry>
std::string fields_text(std::span<const GeometryField<Geometry>> fields,
                        const Geometry& geometry) {
  std::string text;
  for (const GeometryField<Geometry>& f : fields) {
    text += (text.empty() ? "" : ",") + std::string(f.name) + '=';
    if (f.number)
      text += std::to_string(geometry.*f.number);
    else
      text += size_text((geometry.*f.level).size) + '/' +
              std::to_string((geometry.*f.level).ways);
  }
  return text;
}

// Whether BYTES can be a cache line.
inline bool line_p(std::uint64_t bytes) {
  return bytes >= 16 && bytes <= 1024 && (bytes & (bytes - 1)) == 0;
}

}  // namespace memprof::backend
