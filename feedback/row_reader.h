// row_reader.h - a tape to a row: the visitor that reads.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.  See schema.h for what a visitor is.  A field that is
// missing or of the wrong type is a fault with the JSON pointer of the place,
// and keeps its default.  Unknown keys are faults only when asked for (by the
// validator): the reader accepts what newer minor versions add.
#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "feedback/tape.h"

namespace memprof::feedback {

// "/modules/3/functions"; a path that is extended and cut back again.
class Pointer {
 public:
  class Step {
   public:
    Step(std::string& text, std::size_t size) : text_(text), size_(size) {}
    ~Step() { text_.resize(size_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
   private:
    std::string& text_;
    std::size_t size_;
  };
  Step key(std::string_view name);  // escapes ~ and /
  Step index(std::size_t i);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class RowReader {
 public:
  RowReader(const Tape& tape, Pointer& pointer, Faults& faults, bool strict)
      : tape_(tape), pointer_(pointer), faults_(faults), strict_(strict) {}

  // Reads the value at node AT.
  template <typename Row>
  void row(Row& value, std::uint32_t at = 0) {
    if (!expect(at, Node::Type::object)) return;
    const std::uint32_t outer = object_;
    const std::size_t first_asked = asked_.size();
    object_ = at;
    describe(*this, value);
    if (strict_) report_unknown(first_asked);
    object_ = outer;
  }

  template <std::integral T>
  void integer(const char* name, T& value, Need need) {
    if (std::uint32_t at = find(name, need)) {
      const auto step = pointer_.key(name);
      number(at, value);
    }
  }

  void id(const char* name, Id& value, Need need) {
    if (std::uint32_t at = find(name, need)) {
      const auto step = pointer_.key(name);
      id_at(at, value);
    }
  }

  void source(const char* name, Id& value) {
    std::uint32_t at = find(name, Need::required);
    if (at == 0) return;
    const auto step = pointer_.key(name);
    const Node& node = tape_.nodes[at];
    if (node.type == Node::Type::text && tape_.text(node) == k_external_name)
      value = k_external;
    else
      id_at(at, value);
  }

  void text(const char* name, std::string& value, Need need) {
    if (std::uint32_t at = find(name, need)) {
      const auto step = pointer_.key(name);
      if (expect(at, Node::Type::text)) value = tape_.text(tape_.nodes[at]);
    }
  }

  void text_or(const char* name, std::string& value, const std::string& other) {
    value = other;
    text(name, value, Need::optional);
  }

  void flag(const char* name, bool& value, Need need) {
    if (std::uint32_t at = find(name, need)) {
      const auto step = pointer_.key(name);
      if (expect(at, Node::Type::boolean)) value = tape_.nodes[at].boolean;
    }
  }

  void ratio(const char* name, double& value, Need need);

  template <typename Enum>
  void choice(const char* name, Enum& value, Names names, Need need) {
    std::uint32_t at = find(name, need);
    if (at == 0) return;
    const auto step = pointer_.key(name);
    if (!expect(at, Node::Type::text)) return;
    for (unsigned i = 0; names[i]; i++)
      if (tape_.text(tape_.nodes[at]) == names[i]) {
        value = Enum(i);
        return;
      }
    not_a_choice(names, tape_.text(tape_.nodes[at]));
  }

  template <typename Row>
  void rows(const char* name, std::vector<Row>& rows, Need need) {
    std::uint32_t at = find(name, need);
    if (at == 0) return;
    const auto step = pointer_.key(name);
    for_each_element(at, [&](std::uint32_t element) {
      row(rows.emplace_back(), element);
    });
  }

  template <typename Struct>
  void object(const char* name, Struct& value) {
    if (std::uint32_t at = find(name, Need::optional)) {
      const auto step = pointer_.key(name);
      row(value, at);
    }
  }

  template <typename T, std::size_t N>
  void numbers(const char* name, std::array<T, N>& values,
               Need need = Need::required) {
    std::uint32_t at = find(name, need);
    if (at == 0) return;
    const auto step = pointer_.key(name);
    std::size_t n = 0;
    for_each_element(at, [&](std::uint32_t element) {
      if (n < N) number(element, values[n]);
      n++;
    });
    if (n != N && tape_.nodes[at].type == Node::Type::array)
      fault("expected " + std::to_string(N) + " numbers, found " +
            std::to_string(n));
  }

  template <typename Row, typename A, typename B>
  void pairs(const char* name, std::vector<Row>& rows, A Row::*first,
             B Row::*second, Need need) {
    std::uint32_t at = find(name, need);
    if (at == 0) return;
    const auto step = pointer_.key(name);
    for_each_element(at, [&](std::uint32_t element) {
      Row& value = rows.emplace_back();
      unsigned n = 0;
      for_each_element(element, [&](std::uint32_t part) {
        if (n == 0) number(part, value.*first);
        if (n == 1) number(part, value.*second);
        n++;
      });
      if (n != 2 && tape_.nodes[element].type == Node::Type::array)
        fault("expected 2 numbers, found " + std::to_string(n));
    });
  }

  template <int D>
  void lmads(const char* name, std::vector<Lmad<D>>& lmads) {
    std::uint32_t at = find(name, Need::required);
    if (at == 0) return;
    const auto step = pointer_.key(name);
    constexpr unsigned k_size = 2 * D + 1;
    std::size_t n = 0;
    std::array<std::int64_t, D> before{};
    for_each_element(at, [&](std::uint32_t element) {
      const unsigned part = n++ % k_size;
      if (part == 0) lmads.emplace_back();
      Lmad<D>& lmad = lmads.back();
      if (part < D) {
        number(element, lmad.start[part]);
        lmad.start[part] = before[part] = wrapping_sum(lmad.start[part], before[part]);
      }
      else if (part < 2 * D) number(element, lmad.stride[part - D]);
      else number(element, lmad.count);
    });
    if (n % k_size != 0) {
      fault("expected a multiple of " + std::to_string(k_size) +
            " numbers, found " + std::to_string(n));
      lmads.pop_back();
    }
  }

 private:
  // The node of the value of key NAME in the current object; 0: there is none.
  std::uint32_t find(std::string_view name, Need need);
  void report_unknown(std::size_t first_asked);
  bool expect(std::uint32_t at, Node::Type type);
  void not_a_choice(Names names, std::string_view found);
  void fault(std::string what) { faults_.add(pointer_.text(), std::move(what)); }

  // An integer as magnitude and sign, written as a number or a hex string.
  bool magnitude(std::uint32_t at, std::uint64_t* value, bool* negative);
  void out_of_range(std::uint64_t largest, bool with_sign);

  template <std::integral T>
  void number(std::uint32_t at, T& value) {
    std::uint64_t bits;
    bool negative;
    if (!magnitude(at, &bits, &negative)) return;
    constexpr std::uint64_t k_largest = std::uint64_t(std::numeric_limits<T>::max());
    if constexpr (std::is_signed_v<T>) {
      if (bits > k_largest + negative) return out_of_range(k_largest, true);
      value = negative ? T(0 - bits) : T(bits);
    } else {
      if (negative || bits > k_largest) return out_of_range(k_largest, false);
      value = T(bits);
    }
  }

  void id_at(std::uint32_t at, Id& value) {
    std::uint64_t bits;
    bool negative;
    if (!magnitude(at, &bits, &negative)) return;
    if (negative || bits >= k_external) return out_of_range(k_external - 1, false);
    value = Id(bits);
  }

  template <typename Fn>
  void for_each_element(std::uint32_t at, Fn fn) {
    if (!expect(at, Node::Type::array)) return;
    std::size_t i = 0;
    for (std::uint32_t n = at + 1; n < tape_.nodes[at].next; n = tape_.nodes[n].next) {
      const auto step = pointer_.index(i++);
      fn(n);
    }
  }

  const Tape& tape_;
  Pointer& pointer_;
  Faults& faults_;
  const bool strict_;
  std::uint32_t object_ = 0;  // node of the object whose fields are read
  std::vector<std::string_view> asked_;  // keys asked for; only when strict
};

}  // namespace memprof::feedback
