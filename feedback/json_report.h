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
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace memprof::feedback {

class JsonReport {
 public:
  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_array() { open('['); }
  void close_array() { close(']'); }

  void key(std::string_view name) {
    separate();
    quote(name);
    text_ += ": ";
    after_key_ = true;
  }

  void value(std::string_view v) { separate(), quote(v); }
  void value(const char* v) { value(std::string_view(v)); }
  void value(bool v) { separate(), text_ += v ? "true" : "false"; }
  void value(double v) {
    separate();
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.6g", std::isfinite(v) ? v : 0.0);
    text_ += buffer;
  }
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  void value(T v) {
    separate();
    if (std::uint64_t{v} <= k_exact)
      text_ += std::to_string(v);
    else
      hexadecimal(v, "");
  }
  template <std::signed_integral T>
  void value(T v) {
    std::int64_t wide = v;
    if (wide >= 0) return value(static_cast<std::uint64_t>(wide));
    separate();
    std::uint64_t magnitude = 0 - static_cast<std::uint64_t>(wide);
    if (magnitude <= k_exact)
      text_ += std::to_string(wide);
    else
      hexadecimal(magnitude, "-");
  }
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
  // The largest integer that every JSON reader keeps exactly.
  static constexpr std::uint64_t k_exact = std::uint64_t{1} << 53;
  static constexpr std::size_t k_deepest_line = 2;

  void hexadecimal(std::uint64_t v, const char* sign) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "\"%s0x%llx\"", sign,
                  static_cast<unsigned long long>(v));
    text_ += buffer;
  }

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

  // Length of the UTF-8 sequence at the front of S, 0 when it is not one.
  static std::size_t sequence(std::string_view s) {
    auto byte = [&](std::size_t i) {
      return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u;
    };
    auto tail = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
    unsigned c = byte(0);
    if (c < 0x80) return 1;
    if (c >= 0xc2 && c <= 0xdf) return tail(1) ? 2 : 0;
    if (c >= 0xe0 && c <= 0xef) {
      if (!tail(1) || !tail(2)) return 0;
      if ((c == 0xe0 && byte(1) < 0xa0) || (c == 0xed && byte(1) > 0x9f))
        return 0;  // overlong, or half of a surrogate pair
      return 3;
    }
    if (c >= 0xf0 && c <= 0xf4) {
      if (!tail(1) || !tail(2) || !tail(3)) return 0;
      if ((c == 0xf0 && byte(1) < 0x90) || (c == 0xf4 && byte(1) > 0x8f))
        return 0;
      return 4;
    }
    return 0;
  }

  void quote(std::string_view s) {
    text_ += '"';
    while (!s.empty()) {
      std::size_t n = sequence(s);
      unsigned char c = static_cast<unsigned char>(s[0]);
      if (n == 0) {
        text_ += "\\ufffd";
        n = 1;
      } else if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += s[0];
      } else if (c < 0x20 || c == 0x7f) {
        char buffer[8];
        std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
        text_ += buffer;
      } else {
        text_.append(s.substr(0, n));
      }
      s.remove_prefix(n);
    }
    text_ += '"';
  }

  std::string text_;
  std::vector<bool> first_;  // per open bracket: nothing in it yet
  bool after_key_ = false;
};

}  // namespace memprof::feedback
