// row_reader.cc - finding a field, and what can be wrong with it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/row_reader.h"

#include <algorithm>
#include <cmath>

namespace memprof::feedback {

Pointer::Step Pointer::key(std::string_view name) {
  const std::size_t size = text_.size();
  text_ += '/';
  for (char c : name)
    if (c == '~') text_ += "~0";
    else if (c == '/') text_ += "~1";
    else text_ += c;
  return Step(text_, size);
}

Pointer::Step Pointer::index(std::size_t i) {
  const std::size_t size = text_.size();
  text_ += '/';
  text_ += std::to_string(i);
  return Step(text_, size);
}

std::uint32_t RowReader::find(std::string_view name, Need need) {
  const std::vector<Node>& nodes = tape_.nodes;
  std::uint32_t found = 0;
  if (strict_) asked_.push_back(name);
  for (std::uint32_t n = object_ + 1; n < nodes[object_].next;) {
    const std::uint32_t value = n + 1;
    if (tape_.text(nodes[n]) == name) {
      if (found != 0) {
        const auto step = pointer_.key(name);
        fault("this key occurs twice");
        return 0;
      }
      found = value;
    }
    n = nodes[value].next;
  }
  if (found == 0 && need == Need::required) {
    const auto step = pointer_.key(name);
    fault("this key is missing");
  }
  return found;
}

void RowReader::report_unknown(std::size_t first_asked) {
  const std::vector<Node>& nodes = tape_.nodes;
  const auto first = asked_.begin() + std::ptrdiff_t(first_asked);
  for (std::uint32_t n = object_ + 1; n < nodes[object_].next;) {
    const std::string_view name = tape_.text(nodes[n]);
    if (std::find(first, asked_.end(), name) == asked_.end()) {
      const auto step = pointer_.key(name);
      fault("format " + format_text() + " has no such key");
    }
    n = nodes[n + 1].next;
  }
  asked_.resize(first_asked);
}

bool RowReader::expect(std::uint32_t at, Node::Type type) {
  const Node::Type found = tape_.nodes[at].type;
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
  const Node& node = tape_.nodes[at];
  *negative = false;
  switch (node.type) {
    case Node::Type::natural:
      *value = node.natural;
      return true;
    case Node::Type::negative:
      *negative = node.negative < 0;
      *value = node.negative < 0 ? 0 - std::uint64_t(node.negative)
                                 : std::uint64_t(node.negative);
      return true;
    case Node::Type::text: {
      std::string_view text = tape_.text(node);
      *negative = text.starts_with('-');
      if (*negative) text.remove_prefix(1);
      if (text.starts_with("0x")) {
        text.remove_prefix(2);
        const char* end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, *value, 16);
        if (result.ec == std::errc{} && result.ptr == end) return true;
      }
      fault("expected an integer, found a string that is no hexadecimal number");
      return false;
    }
    default:
      fault(std::string("expected an integer, found ") + type_name(node.type));
      return false;
  }
}

void RowReader::ratio(const char* name, double& value, Need need) {
  const std::uint32_t at = find(name, need);
  if (at == 0) return;
  const auto step = pointer_.key(name);
  const Node& node = tape_.nodes[at];
  if (node.type == Node::Type::real) value = node.real;
  else if (node.type == Node::Type::natural) value = double(node.natural);
  else if (node.type == Node::Type::negative) value = double(node.negative);
  else fault(std::string("expected a number, found ") + type_name(node.type));
  if (!(value >= 0)) {
    fault("expected a number that is not negative");
    value = 0;
  }
}

}  // namespace memprof::feedback
