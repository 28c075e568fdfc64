// json_text.cc - strings and numbers of JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/json_text.h"

#include <charconv>
#include <cmath>

namespace memprof::feedback {
namespace {

// Length of the UTF-8 sequence at TEXT[i], or 0 when it is none (RFC 3629: no
// overlong forms, no surrogates, nothing above U+10FFFF).
unsigned utf8_length(std::string_view text, std::size_t i) {
  auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
  };
  auto tail = [&](std::size_t k) { return (byte(k) & 0xc0) == 0x80; };
  const unsigned c = byte(i), d = byte(i + 1);
  if (c < 0x80) return 1;
  if (c >= 0xc2 && c <= 0xdf) return tail(i + 1) ? 2 : 0;
  if (c >= 0xe0 && c <= 0xef) {
    if ((c == 0xe0 && d < 0xa0) || (c == 0xed && d > 0x9f)) return 0;
    return tail(i + 1) && tail(i + 2) ? 3 : 0;
  }
  if (c >= 0xf0 && c <= 0xf4) {
    if ((c == 0xf0 && d < 0x90) || (c == 0xf4 && d > 0x8f)) return 0;
    return tail(i + 1) && tail(i + 2) && tail(i + 3) ? 4 : 0;
  }
  return 0;
}

// That represents itself.
bool plain_p(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

void append_string(std::string& out, std::string_view text) {
  static const char k_hex[] = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    std::size_t plain = i;
    while (plain < text.size() && plain_p(text[plain])) plain++;
    out.append(text, i, plain - i);
    i = plain;
    if (i == text.size()) break;
    const unsigned char c = text[i];
    const unsigned length = utf8_length(text, i);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      i++;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      out += "\\u00";
      out += k_hex[c >> 4];
      out += k_hex[c & 15];
    } else {
      out.append(text, i, length);
    }
    i += length;
  }
  out += '"';
}

void append_real(std::string& out, double value) {
  char text[64];
  if (!std::isfinite(value)) value = 0;
  const auto end = std::to_chars(text, text + sizeof text, value);
  out.append(text, end.ptr);
}

void append_integer(std::string& out, std::uint64_t magnitude, bool negative, bool comma) {
  // Most of a profile is integers, and most of them are small: one append for each.
  char text[32], *at = text;
  if (comma) *at++ = ',';
  if (magnitude < 10 && !negative) {
    *at++ = static_cast<char>('0' + magnitude);
    out.append(text, at);
    return;
  }
  const bool wide = magnitude > (std::uint64_t(1) << 53);
  if (wide) *at++ = '"';
  if (negative) *at++ = '-';
  if (wide) *at++ = '0', *at++ = 'x';
  at = std::to_chars(at, text + sizeof text, magnitude, wide ? 16 : 10).ptr;
  if (wide) *at++ = '"';
  out.append(text, at);
}

}  // namespace memprof::feedback
