// json_report.h - writes a small JSON document as text, one value after another.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For reports (memprof --json, remarks), which are small, made once and never
// read back by us; profiles go through writer.h.  The caller opens and closes
// objects and arrays in order; commas, quoting and line breaks are done here.
//
//   JsonReport json;
//   json.open_object();
//   json.member("file", path);
//   json.key("sites");
//   json.open_array();  ...  json.close_array();
//   json.close_object();
//   json.text()         // ends with a newline
//
// The outer two levels have one value per line, deeper ones stay on a line.
// Bytes that are not UTF-8 become U+FFFD, so the output is always JSON;
// integers above 2^53 are hex strings, as in profiles.
#pragma once

#include <cassert>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "feedback/json_text.h"

namespace memprof::feedback {

class JsonReport {
 public:
  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_array() { open('['); }
  void close_array() { close(']'); }

  void key(std::string_view name) {
    separate();
    append_string(text_, name);
    text_ += ": ";
    after_key_ = true;
  }

  void value(std::string_view v) { separate(), append_string(text_, v); }
  void value(const char* v) { value(std::string_view(v)); }
  void value(bool v) { separate(), text_ += v ? "true" : "false"; }
  void value(double v) {
    separate();
    append_real(text_, std::isfinite(v) ? v : 0);
  }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void value(T v) { separate(), append_integer(text_, v); }
  void null() { separate(), text_ += "null"; }

  template <typename T>
  void member(std::string_view name, const T& v) {
    key(name);
    value(v);
  }

  const std::string& text() {
    assert(first_.empty());
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    return text_;
  }

 private:
  static constexpr std::size_t k_deepest_line = 2;

  void line() {
    text_ += '\n';
    text_.append(first_.size(), ' ');
  }

  void separate() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (first_.empty()) return;
    if (!first_.back()) text_ += ',';
    if (first_.size() <= k_deepest_line)
      line();
    else if (!first_.back())
      text_ += ' ';
    first_.back() = false;
  }

  void open(char bracket) {
    separate();
    text_ += bracket;
    first_.push_back(true);
  }

  void close(char bracket) {
    assert(!first_.empty() && !after_key_);
    bool empty = first_.back();
    bool lines = first_.size() <= k_deepest_line;
    first_.pop_back();
    if (!empty && lines) line();
    text_ += bracket;
  }

  std::string text_;
  std::vector<bool> first_;  // per open bracket: nothing in it yet
  bool after_key_ = false;
};

}  // namespace memprof::feedback
