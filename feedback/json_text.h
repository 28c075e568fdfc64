// json_text.h - a row as JSON text: the visitor that writes.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.  See schema.h for what a visitor is.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "feedback/model.h"
#include "feedback/schema.h"

namespace memprof::feedback {

// Double-quoted and escaped; bytes that are not UTF-8 become U+FFFD.
void append_string(std::string& out, std::string_view text);
void append_real(std::string& out, double value);
// Beyond 2^53, where readers that keep numbers in a double lose digits, as a
// string: "0x20000000000001", "-0x20000000000001".  COMMA: after one.
void append_integer(std::string& out, std::uint64_t magnitude, bool negative, bool comma);

template <std::integral T>
void append_integer(std::string& out, T value, bool comma = false) {
  if constexpr (std::is_signed_v<T>)
    append_integer(out, value < 0 ? 0 - std::uint64_t(value) : std::uint64_t(value),
                   value < 0, comma);
  else
    append_integer(out, value, false, comma);
}

class RowWriter {
 public:
  // FUNCTIONS gets the place of each function row, when not null.
  explicit RowWriter(std::string& out, std::vector<std::size_t>* functions = nullptr)
      : out_(out), functions_(functions) {}

  template <typename Row>
  void row(Row& value) {
    const bool outer = first_;
    first_ = true;
    out_ += '{';
    describe(*this, value);
    out_ += '}';
    first_ = outer;
  }

  template <std::integral T>
  void integer(const char* name, T value, Need need) {
    if (need == Need::optional && value == 0) return;
    begin(name);
    append_integer(out_, value);
  }

  void id(const char* name, Id value, Need need) {
    if (need == Need::optional && value == k_none) return;
    begin(name);
    append_integer(out_, value);
  }

  void source(const char* name, Id value) {
    begin(name);
    if (value == k_external)
      append_string(out_, k_external_name);
    else
      append_integer(out_, value);
  }

  void text(const char* name, const std::string& value, Need need) {
    if (need == Need::optional && value.empty()) return;
    begin(name);
    append_string(out_, value);
  }

  void text_or(const char* name, const std::string& value,
               const std::string& other) {
    if (value != other) text(name, value, Need::required);
  }

  void flag(const char* name, bool value, Need need) {
    if (need == Need::optional && !value) return;
    begin(name);
    out_ += value ? "true" : "false";
  }

  void ratio(const char* name, double value, Need need) {
    if (need == Need::optional && value == 0) return;
    begin(name);
    append_real(out_, value);
  }

  template <typename Enum>
  void choice(const char* name, Enum value, Names names, Need) {
    begin(name);
    append_string(out_, names[unsigned(value)]);
  }

  template <typename Row>
  void rows(const char* name, std::vector<Row>& rows, Need need) {
    if (need == Need::optional && rows.empty()) return;
    begin(name);
    out_ += '[';
    // `run' is one line.
    constexpr bool lines = !std::is_same_v<Row, Label> && !std::is_same_v<Row, ExternalFunction>;
    for (Row& value : rows) {
      if (&value != rows.data()) out_ += ',';
      if (lines) out_ += '\n';
      if constexpr (std::is_same_v<Row, Function>)
        if (functions_) functions_->push_back(out_.size());
      row(value);
    }
    out_ += ']';
  }

  template <typename Struct>
  void object(const char* name, Struct& value) {
    if (empty_p(value)) return;
    begin(name);
    row(value);
  }

  template <typename T, std::size_t N>
  void numbers(const char* name, const std::array<T, N>& values,
               Need need = Need::required) {
    if (need == Need::optional && values == std::array<T, N>{}) return;
    begin(name);
    out_ += '[';
    for (const T& value : values) element(value, &value == values.data());
    out_ += ']';
  }

  template <typename Row, typename A, typename B>
  void pairs(const char* name, std::vector<Row>& rows, A Row::*first,
             B Row::*second, Need need) {
    if (need == Need::optional && rows.empty()) return;
    begin(name);
    out_ += '[';
    for (Row& value : rows) {
      out_ += &value == rows.data() ? "[" : ",[";
      element(value.*first, true);
      element(value.*second, false);
      out_ += ']';
    }
    out_ += ']';
  }

  void ids(const char* name, const std::vector<Id>& values, Need need) {
    if (need == Need::optional && values.empty()) return;
    begin(name);
    out_ += '[';
    for (const Id& value : values) element(value, &value == values.data());
    out_ += ']';
  }

  template <int D>
  void lmads(const char* name, const std::vector<Lmad<D>>& lmads) {
    begin(name);
    out_ += '[';
    std::array<std::int64_t, D> before{};
    for (const Lmad<D>& lmad : lmads) {
      for (int i = 0; i < D; i++)
        element(wrapping_difference(lmad.start[i], before[i]),
                i == 0 && &lmad == lmads.data());
      before = lmad.start;
      for (int i = 0; i < D; i++) element(lmad.stride[i], false);
      element(lmad.count, false);
    }
    out_ += ']';
  }

 private:
  template <typename T>
  void element(T value, bool first) {
    append_integer(out_, value, !first);
  }

  void begin(const char* name) {
    const std::size_t length = std::strlen(name), before = out_.size();
    out_.resize(before + length + (first_ ? 3 : 4));
    char* at = out_.data() + before;
    if (!first_) *at++ = ',';
    first_ = false;
    *at++ = '"';
    std::memcpy(at, name, length);
    std::memcpy(at + length, "\":", 2);
  }

  std::string& out_;
  std::vector<std::size_t>* functions_;
  bool first_ = true;
};

}  // namespace memprof::feedback
