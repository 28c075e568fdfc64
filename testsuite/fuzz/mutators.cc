// mutators.cc - small changes of an input that keep its structure.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "testsuite/fuzz/mutators.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace memprof::fuzz {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t k_numbers[] = {
    0, 1, 2, 63, 64, 255, 4096, 65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000,
    std::uint64_t{1} << 40, std::uint64_t{1} << 53, 0x7fffffffffffffff, 0x8000000000000000, ~std::uint64_t{0} - 1,
    ~std::uint64_t{0}};
constexpr double k_reals[] = {0.5, 1.0, -1.0, 1e300, -1e300, 1e-300, 0.9999999999};
const char* const k_texts[] = {"", "external", "none", "load", "store", "a.c", "../../../../etc/passwd", "/dev/zero",
                               "<script>", "\n", "\xc3\xa4", "%s%n", "=1+1", "0xffffffffffffffff", "-0x8000000000000000"};

// A value with its name in the object that it is a member of.
struct Place {
  ordered_json* value;
  std::string name;
};

void collect(ordered_json& value, const std::string& name, std::vector<Place>& places) {
  places.push_back({&value, name});
  if (value.is_object())
    for (auto at = value.begin(); at != value.end(); ++at) collect(at.value(), at.key(), places);
  else if (value.is_array())
    for (ordered_json& element : value) collect(element, name, places);
}

ordered_json extreme(Random& random) {
  switch (below(8, random)) {
    case 0: return k_reals[below(std::size(k_reals), random)];
    case 1: return static_cast<std::int64_t>(0 - k_numbers[below(std::size(k_numbers), random)]);
    case 2: return k_texts[below(std::size(k_texts), random)];
    default: return k_numbers[below(std::size(k_numbers), random)];
  }
}

ordered_json other_kind(Random& random) {
  switch (below(6, random)) {
    case 0: return nullptr;
    case 1: return ordered_json::array();
    case 2: return ordered_json::object();
    case 3: return below(2, random) == 0;
    case 4: return std::string(below(300, random), 'x');
    default: return extreme(random);
  }
}

// The value of another place of that name, so what it was an id of changes.
ordered_json elsewhere(const std::vector<Place>& places, const Place& at, Random& random) {
  std::vector<const Place*> same;
  for (const Place& place : places)
    if (place.name == at.name && place.value->type() == at.value->type()) same.push_back(&place);
  return *same[below(same.size(), random)]->value;
}

void change_array(ordered_json& rows, Random& random) {
  const std::size_t i = below(rows.size(), random), j = below(rows.size(), random);
  switch (below(4, random)) {
    case 0: rows.erase(i); break;
    case 1: {
      const ordered_json copy = rows[i];
      for (std::size_t n = 1 + (below(8, random) == 0 ? below(64, random) : 0); n > 0; n--) rows.push_back(copy);
      break;
    }
    case 2: std::swap(rows[i], rows[j]); break;
    default: {
      const ordered_json copy = rows[j];
      rows[i] = copy;
    }
  }
}

void change_object(ordered_json& object, Random& random) {
  auto at = object.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(below(object.size(), random)));
  const std::string name = at.key();
  const ordered_json value = at.value();
  if (below(3, random) != 0) {
    object.erase(name);
    if (below(3, random) == 0) object["unknown"] = value;
  } else {
    object[k_texts[below(4, random)]] = value;
  }
}

void change(ordered_json& document, Random& random) {
  std::vector<Place> places;
  collect(document, "", places);
  const Place& at = places[below(places.size(), random)];
  ordered_json& value = *at.value;
  if (value.is_array() && !value.empty() && below(4, random) != 0)
    change_array(value, random);
  else if (value.is_object() && !value.empty() && below(8, random) != 0)
    change_object(value, random);
  else if (below(3, random) == 0)
    value = elsewhere(places, at, random);
  else if (value.is_number_integer() && below(2, random) == 0)
    value = value.get<std::uint64_t>() + below(9, random) - 4;
  else
    value = below(6, random) == 0 ? other_kind(random) : extreme(random);
}

// The lines of TEXT with their ends.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

}  // namespace

void mutate_bytes(std::string& text, Random& random) {
  const std::size_t size = text.size();
  if (size == 0) {
    text = "x";
    return;
  }
  const std::size_t at = below(size, random), other = below(size, random);
  const std::size_t some = 1 + below(16, random);
  switch (below(6, random)) {
    case 0: text[at] = static_cast<char>(random()); break;
    case 1: text[at] = static_cast<char>(text[at] ^ (1 << below(8, random))); break;
    case 2: text.erase(at, some); break;
    case 3: text.insert(at, text.substr(other, some)); break;
    case 4: text.insert(at, some, static_cast<char>(random())); break;
    default: text.resize(at);
  }
}

void mutate_json(std::string& text, Random& random) {
  ordered_json document = ordered_json::parse(text, nullptr, false);
  if (document.is_discarded() || below(32, random) == 0) {
    mutate_bytes(text, random);
    return;
  }
  for (std::size_t n = 1 + below(3, random); n > 0; n--) change(document, random);
  text = document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void mutate_lines(std::string& text, Random& random) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) {
    mutate_bytes(text, random);
    return;
  }
  std::string& line = lines[below(lines.size(), random)];
  const std::string copy = lines[below(lines.size(), random)];
  switch (below(5, random)) {
    case 0: line.clear(); break;
    case 1: line = copy; break;
    case 2: line += copy; break;
    default:
      mutate_json(line, random);
      line += '\n';
  }
  text.clear();
  for (const std::string& each : lines) text += each;
}

void mutate_words(std::string& text, std::size_t first, Random& random) {
  const std::size_t words = text.size() > first ? (text.size() - first) / 8 : 0;
  if (words == 0) {
    mutate_bytes(text, random);
    return;
  }
  char* const at = text.data() + first + 8 * below(words, random);
  const char* const other = text.data() + first + 8 * below(words, random);
  std::uint64_t word = 0;
  std::memcpy(&word, at, 8);
  switch (below(5, random)) {
    case 0: word = k_numbers[below(std::size(k_numbers), random)]; break;
    case 1: word += below(65, random) - 32; break;
    case 2: word ^= std::uint64_t{1} << below(64, random); break;
    case 3: word = (word & ~std::uint64_t{0xffffffff}) | (k_numbers[below(std::size(k_numbers), random)] & 0xffffffff); break;
    default: std::memcpy(&word, other, 8);
  }
  std::memcpy(at, &word, 8);
}

}  // namespace memprof::fuzz
