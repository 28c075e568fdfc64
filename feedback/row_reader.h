// row_reader.h - a tape to a row: the visitor that reads.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.  See schema.h for what a visitor is.  A field that is
// missing or of the wrong type is a fault with the JSON pointer of the place,
// and keeps its default.  Unknown keys are skipped: newer versions may add some, and so may
// modules that this version does not have.
#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "feedback/tape.h"

namespace memprof::feedback {

// "/modules/3/functions"; a path that is extended and cut back again, and that becomes
// text when there is a fault to tell.
class Pointer {
 public:
  using Part = std::variant<std::string_view, std::size_t>;
  class Step {
   public:
    Step(std::vector<Part>& parts, Part part) : parts_(parts) { parts.push_back(part); }
    ~Step() { parts_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
   private:
    std::vector<Part>& parts_;
  };
  Step key(std::string_view name) { return {parts_, name}; }
  Step index(std::size_t i) { return {parts_, i}; }
  std::string text() const;  // escapes ~ and /

 private:
  std::vector<Part> parts_;
};

class RowReader {
 public:
  explicit RowReader(Faults& faults) : faults_(faults) {}

  // Reads TAPE, which is row INDEX of TABLE.
  template <typename Row>
  void read(const Tape& tape, const char* table, std::size_t index, Row& value) {
    tape_ = &tape;
    const auto step = pointer_.key(table);
    if (index == k_whole) return row(value, 0);
    const auto place = pointer_.index(index);
    row(value, 0);
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
    if (node(at).type == Node::Type::text && text(at) == k_external_name)
      value = k_external;
    else
      id_at(at, value);
  }

  void text(const char* name, std::string& value, Need need) {
    if (std::uint32_t at = find(name, need)) {
      const auto step = pointer_.key(name);
      if (expect(at, Node::Type::text)) value = text(at);
    }
  }

  void text_or(const char* name, std::string& value, const std::string& other) {
    value = other;
    text(name, value, Need::optional);
  }

  void flag(const char* name, bool& value, Need need) {
    if (std::uint32_t at = find(name, need)) {
      const auto step = pointer_.key(name);
      if (expect(at, Node::Type::boolean)) value = node(at).boolean;
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
      if (text(at) == names[i]) {
        value = Enum(i);
        return;
      }
    not_a_choice(names, text(at));
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
    if (n != N && node(at).type == Node::Type::array)
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
      if (n != 2 && node(element).type == Node::Type::array)
        fault("expected 2 numbers, found " + std::to_string(n));
    });
  }

  void ids(const char* name, std::vector<Id>& values, Need need) {
    std::uint32_t at = find(name, need);
    if (at == 0) return;
    const auto step = pointer_.key(name);
    for_each_element(at, [&](std::uint32_t element) { id_at(element, values.emplace_back()); });
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
      else if (number(element, lmad.count); !ends_p(lmad)) fault("the last value does not fit into 64 bits");
    });
    if (n % k_size != 0) {
      fault("expected a multiple of " + std::to_string(k_size) +
            " numbers, found " + std::to_string(n));
      lmads.pop_back();
    }
  }

 private:
  // The object whose fields are read.
  struct Object {
    std::uint32_t at = 0;         // its node
    std::uint32_t next = 0;       // node of the key after the one that was found last
    std::size_t first_asked = 0;  // in asked_
    std::size_t found = 0;        // keys
  };

  const Node& node(std::uint32_t at) const { return tape_->nodes[at]; }
  std::string_view text(std::uint32_t at) const { return tape_->text(node(at)); }

  // Reads the value at node AT.
  template <typename Row>
  void row(Row& value, std::uint32_t at) {
    if (!expect(at, Node::Type::object)) return;
    const Object outer = std::exchange(object_, {at, at + 1, asked_.size()});
    describe(*this, value);
    if (!all_found()) report_keys();
    asked_.resize(object_.first_asked);
    object_ = outer;
  }

  // The node of the value of key NAME in the current object; 0: there is none.
  std::uint32_t find(std::string_view name, Need need);
  // The same among the keys from node FROM to node TO.
  std::uint32_t find_between(std::string_view name, std::uint32_t from, std::uint32_t to) const;
  // Whether each key of the object was asked for, so that none occurs twice.
  bool all_found() const;
  void report_keys();
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
    for (std::uint32_t n = at + 1; n < node(at).next; n = node(n).next) {
      const auto step = pointer_.index(i++);
      fn(n);
    }
  }

  Faults& faults_;
  const Tape* tape_ = nullptr;
  Pointer pointer_;
  Object object_;
  std::vector<std::string_view> asked_;  // keys of this object and of those around it
};

}  // namespace memprof::feedback
