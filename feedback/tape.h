// tape.h - JSON as a flat list of values, one row of the document at a time.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.  A document may be hostile or just large, so it is not
// turned into a tree as a whole.  The parser (nlohmann's SAX interface, which
// neither recurses nor throws) cuts it into rows: an element of a top-level
// array, or the whole value of a top-level key that is no array.  A row becomes
// a tape of nodes: an array or object node knows where it ends, keys and values
// of an object alternate.
//
//   {"id":3,"loops":[7]}   ->   object(next 6) key"id" 3 key"loops" array 7
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "feedback/result.h"
#include "feedback/schema.h"

namespace memprof::feedback {

struct Node {
  enum class Type : std::uint8_t {
    null, boolean, natural, negative, real, text, array, object
  };
  Type type = Type::null;
  std::uint32_t next = 0;  // index of the node after this value
  union {
    bool boolean;
    std::uint64_t natural;
    std::int64_t negative;
    double real;
    struct { std::uint32_t offset, length; } text;
  };
  Node() : natural(0) {}
};

// "a string", for messages.
const char* type_name(Node::Type type);

struct Tape {
  std::vector<Node> nodes;
  std::string characters;

  std::string_view text(const Node& node) const {
    return std::string_view(characters).substr(node.text.offset, node.text.length);
  }
};

// Faults found so far; the list is full at LIMIT.
struct Faults {
  std::string file;
  std::size_t limit = 1;
  std::vector<Error> list;

  bool full() const { return list.size() >= limit; }
  void add(Error::Kind kind, std::string pointer, std::string what) {
    if (!full()) list.push_back({kind, file, std::move(pointer), std::move(what)});
  }
  void add(std::string pointer, std::string what) {
    add(Error::Kind::corrupt, std::move(pointer), std::move(what));
  }
};

// Where a row stands: `/strides/3', or `/run' with index k_whole.
inline constexpr std::size_t k_whole = std::size_t(-1);

struct DocumentEvents {
  // A known key of the document begins.
  std::function<void(Section)> section;
  // A row is complete.  False: skip the rest, only look for `memprof'.
  std::function<bool(Section, std::size_t index, const Tape&)> row;
};

// Cuts TEXT into rows.  What is wrong with it as JSON goes to FAULTS; false
// then.
bool parse_document(std::string_view text, const DocumentEvents& events,
                    Faults& faults);

}  // namespace memprof::feedback
