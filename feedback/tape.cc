// tape.cc - cuts a JSON document into rows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/tape.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace memprof::feedback {
namespace {

using Json = nlohmann::json;

// A profile nests 7 deep; more is no profile.
constexpr std::size_t k_max_depth = 32;
// Nodes of one row, about 1 GB of memory.
constexpr std::size_t k_max_nodes = std::size_t(1) << 26;

class Cutter final : public nlohmann::json_sax<Json> {
 public:
  Cutter(std::size_t size, const DocumentEvents& events, Faults& faults)
      : size_(size), events_(events), faults_(faults) {}

  bool null() override {
    return scalar(Node::Type::null, [](Node&) {});
  }
  bool boolean(bool v) override {
    return scalar(Node::Type::boolean, [v](Node& node) { node.boolean = v; });
  }
  bool number_integer(number_integer_t v) override {
    return scalar(Node::Type::negative, [v](Node& node) { node.negative = v; });
  }
  bool number_unsigned(number_unsigned_t v) override {
    return scalar(Node::Type::natural, [v](Node& node) { node.natural = v; });
  }
  bool number_float(number_float_t v, const string_t&) override {
    return scalar(Node::Type::real, [v](Node& node) { node.real = v; });
  }
  bool string(string_t& v) override {
    return scalar(Node::Type::text, [&](Node& node) { set_text(node, v); });
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Node::Type::object); }
  bool start_array(std::size_t) override { return open(Node::Type::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (depth_ == 1) {
      section_ = section_of(name);
      index_ = 0;
      if (section_ != Section::unknown && wanted()) events_.section(section_);
    } else if (taping_) {
      Node& node = tape_.nodes.emplace_back();
      set_text(node, name);
      node.type = Node::Type::text;
      node.next = std::uint32_t(tape_.nodes.size());
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::string pointer = "byte " + std::to_string(std::min(position, size_));
    std::string what = error.what();
    if (position > size_ ||
        what.find("unexpected end of input") != std::string::npos) {
      faults_.add(pointer, "the file ends in the middle (truncated?)");
      return false;
    }
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::size_t name = what.find("] ");
    if (name != std::string::npos) what.erase(0, name + 2);
    const std::size_t place = what.find(": ");
    if (what.starts_with("parse error at") && place != std::string::npos)
      what.erase(0, place + 2);
    faults_.add(pointer, "not valid JSON: " + printable(what));
    return false;
  }

 private:
  // The message quotes the input, which may be anything.
  static std::string printable(std::string text) {
    if (text.size() > 200) text = text.substr(0, 200) + "...";
    for (char& c : text)
      if (c < 0x20 || c == 0x7f) c = '?';  // also above 0x7f: char is signed
    return text;
  }

  bool wanted() const {
    return section_ != Section::unknown &&
           (!skipping_ || section_ == Section::memprof);
  }
  // A value that begins now is a row: an element of a top-level array, or the
  // value of a top-level key that is no array.
  bool begins_row() const {
    return wanted() && (depth_ == 1 || (depth_ == 2 && in_table_));
  }
  void begin_row() {
    tape_.nodes.clear();
    tape_.characters.clear();
    open_.clear();
    taping_ = true;
    row_depth_ = depth_;
  }

  void set_text(Node& node, const std::string& text) {
    node.text = {std::uint32_t(tape_.characters.size()),
                 std::uint32_t(text.size())};
    tape_.characters += text;
  }

  template <typename Set>
  bool scalar(Node::Type type, Set set) {
    if (depth_ == 0) {
      faults_.add("", std::string("expected an object, found ") + type_name(type));
      return false;
    }
    if (!taping_) {
      if (!begins_row()) return true;
      begin_row();
    }
    Node& node = tape_.nodes.emplace_back();
    set(node);
    node.type = type;
    node.next = std::uint32_t(tape_.nodes.size());
    return finish_value();
  }

  bool finish_value() {
    if (tape_.nodes.size() > k_max_nodes) {
      faults_.add("", "a row is too large for a profile");
      return false;
    }
    if (depth_ != row_depth_) return true;
    taping_ = false;
    const std::size_t index = depth_ == 1 ? k_whole : index_++;
    if (!events_.row(section_, index, tape_)) skipping_ = true;
    return true;
  }

  bool open(Node::Type type) {
    if (depth_ == 0 && type == Node::Type::array) {
      faults_.add("", "expected an object, found an array");
      return false;
    }
    if (depth_ == k_max_depth) {
      faults_.add("", "nested more than " + std::to_string(k_max_depth) + " deep");
      return false;
    }
    if (depth_ == 1) in_table_ = type == Node::Type::array;
    const bool table = depth_ == 1 && in_table_;
    if (depth_ > 0 && !taping_ && !table && begins_row()) begin_row();
    if (taping_) {
      open_.push_back(std::uint32_t(tape_.nodes.size()));
      tape_.nodes.emplace_back().type = type;
    }
    depth_++;
    return true;
  }

  bool close() {
    depth_--;
    if (!taping_) return true;
    tape_.nodes[open_.back()].next = std::uint32_t(tape_.nodes.size());
    open_.pop_back();
    return finish_value();
  }

  const std::size_t size_;  // of the text
  const DocumentEvents& events_;
  Faults& faults_;
  Tape tape_;
  std::vector<std::uint32_t> open_;  // containers of the row that are not closed
  std::size_t depth_ = 0, row_depth_ = 0, index_ = 0;
  Section section_ = Section::unknown;
  bool in_table_ = false;  // the value of the top-level key is an array
  bool taping_ = false, skipping_ = false;
};

}  // namespace

const char* type_name(Node::Type type) {
  static const char* const k_names[] = {"null",     "true or false", "a number",
                                        "a negative number", "a number that is not an integer",
                                        "a string", "an array",      "an object"};
  return k_names[unsigned(type)];
}

bool parse_document(std::string_view text, const DocumentEvents& events,
                    Faults& faults) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    faults.add("", "the file is empty");
    return false;
  }
  Cutter cutter(text.size(), events, faults);
  return Json::sax_parse(text.begin(), text.end(), &cutter);
}

}  // namespace memprof::feedback
