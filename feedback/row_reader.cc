// row_reader.cc - finding a field, and what can be wrong with it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/row_reader.h"

#include <algorithm>
#include <cmath>

namespace memprof::feedback {

std::string Pointer::text() const {
  std::string text;
  for (const Part& part : parts_) {
    text += '/';
    if (const std::size_t* index = std::get_if<std::size_t>(&part)) {
      text += std::to_string(*index);
      continue;
    }
    for (char c : std::get<std::string_view>(part))
      if (c == '~') text += "~0";
      else if (c == '/') text += "~1";
      else text += c;
  }
  return text;
}

// Documents of ours have the keys in the order in which they are asked for.
std::uint32_t RowReader::find(std::string_view name, Need need) {
  asked_.push_back(name);
  std::uint32_t found = find_between(name, object_.next, node(object_.at).next);
  if (found == 0) found = find_between(name, object_.at + 1, object_.next);
  if (found != 0) {
    object_.next = node(found).next;
    object_.found++;
  } else if (need == Need::required) {
    const auto step = pointer_.key(name);
    fault("this key is missing");
  }
  return found;
}

std::uint32_t RowReader::find_between(std::string_view name, std::uint32_t from,
                                      std::uint32_t to) const {
  for (std::uint32_t n = from; n < to; n = node(n + 1).next)
    if (text(n) == name) return n + 1;
  return 0;
}

bool RowReader::all_found() const {
  std::size_t keys = 0;
  for (std::uint32_t n = object_.at + 1; n < node(object_.at).next;
       n = node(n + 1).next)
    keys++;
  return keys == object_.found;
}

// A key of a newer format may occur as often as it likes.
void RowReader::report_keys() {
  const std::uint32_t end = node(object_.at).next;
  const auto first = asked_.begin() + std::ptrdiff_t(object_.first_asked);
  for (std::uint32_t n = object_.at + 1; n < end; n = node(n + 1).next) {
    const std::string_view name = text(n);
    const bool known = std::find(first, asked_.end(), name) != asked_.end();
    const auto step = pointer_.key(name);
    if (known && find_between(name, node(n + 1).next, end) != 0)
      fault("this key occurs twice");
  }
}

bool RowReader::expect(std::uint32_t at, Node::Type type) {
  const Node::Type found = node(at).type;
  if (found == type) return true;
  fault(std::string("expected ") + type_name(type) + ", found " + type_name(found));
  return false;
}

void RowReader::not_a_choice(Names names, std::string_view found) {
  std::string what = "expected one of";
  for (unsigned i = 0; names[i]; i++)
    what += std::string(i == 0 ? " " : ", ") + '"' + names[i] + '"';
  fault(what + ", found \"" + std::string(found.substr(0, 40)) + '"');
}

void RowReader::out_of_range(std::uint64_t largest, bool with_sign) {
  fault((with_sign ? "expected a number of at most this size: "
                   : "expected a number from 0 to ") + std::to_string(largest));
}

bool RowReader::magnitude(std::uint32_t at, std::uint64_t* value, bool* negative) {
  const Node& found = node(at);
  *negative = false;
  switch (found.type) {
    case Node::Type::natural:
      *value = found.natural;
      return true;
    case Node::Type::negative:
      *negative = found.negative < 0;
      *value = found.negative < 0 ? 0 - std::uint64_t(found.negative)
                                 : std::uint64_t(found.negative);
      return true;
    case Node::Type::text: {
      std::string_view hex = text(at);
      *negative = hex.starts_with('-');
      if (*negative) hex.remove_prefix(1);
      if (hex.starts_with("0x")) {
        hex.remove_prefix(2);
        const char* end = hex.data() + hex.size();
        const auto result = std::from_chars(hex.data(), end, *value, 16);
        if (result.ec == std::errc{} && result.ptr == end) return true;
      }
      fault("expected an integer, found a string that is no hexadecimal number");
      return false;
    }
    default:
      fault(std::string("expected an integer, found ") + type_name(found.type));
      return false;
  }
}

void RowReader::ratio(const char* name, double& value, Need need) {
  const std::uint32_t at = find(name, need);
  if (at == 0) return;
  const auto step = pointer_.key(name);
  const Node& found = node(at);
  if (found.type == Node::Type::real) value = found.real;
  else if (found.type == Node::Type::natural) value = double(found.natural);
  else if (found.type == Node::Type::negative) value = double(found.negative);
  else fault(std::string("expected a number, found ") + type_name(found.type));
  if (!(value >= 0)) {
    fault("expected a number that is not negative");
    value = 0;
  }
}

}  // namespace memprof::feedback
