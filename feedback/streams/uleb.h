// uleb.h - numbers in as few bytes as they need (ULEB128).
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memprof::streams {

inline void put_uleb(std::string& out, std::uint64_t v) {
  for (; v >= 128; v >>= 7) out += static_cast<char>(v | 128);
  out += static_cast<char>(v);
}
inline std::size_t uleb_bytes(std::uint64_t v) {
  std::size_t n = 1;
  for (; v >= 128; v >>= 7) n++;
  return n;
}

// 2 * V + FLAG, which may have 65 bits.
inline void put_flagged(std::string& out, std::uint64_t v, bool flag) {
  const std::uint64_t first = (v & 63) << 1 | (flag ? 1 : 0);
  if (v >> 6 == 0) {
    out += static_cast<char>(first);
    return;
  }
  out += static_cast<char>(first | 128);
  put_uleb(out, v >> 6);
}
inline std::size_t flagged_bytes(std::uint64_t v) {
  return v >> 6 == 0 ? 1 : 1 + uleb_bytes(v >> 6);
}

// Small for numbers near 0 of either sign.
inline std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
inline std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
}

// Takes numbers off a text. What is not there or has too many bits is 0 and makes good() false.
class UlebReader {
 public:
  explicit UlebReader(std::string_view text) : text_(text) {}

  std::uint64_t number() { return rest(0); }
  // What put_flagged() wrote.
  std::uint64_t flagged(bool& flag) {
    const unsigned first = byte();
    flag = (first & 1) != 0;
    const std::uint64_t low = (first & 127) >> 1;
    return first < 128 ? low : low | rest(6);
  }
  bool good() const { return good_; }
  bool at_end() const { return at_ == text_.size(); }
  std::size_t left() const { return text_.size() - at_; }

 private:
  unsigned byte() {
    if (at_ == text_.size()) {
      good_ = false;
      return 0;
    }
    return static_cast<unsigned char>(text_[at_++]);
  }
  // The bits from SHIFT on.
  std::uint64_t rest(unsigned shift) {
    std::uint64_t v = 0;
    for (;; shift += 7) {
      const unsigned b = byte();
      const std::uint64_t bits = b & 127;
      if (shift > 63 ? bits != 0 : bits << shift >> shift != bits) good_ = false;
      if (shift <= 63) v |= bits << shift;
      if (b < 128 || !good_) return v;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace memprof::streams
