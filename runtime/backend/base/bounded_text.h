// bounded_text.h - a char array of the shared memory as text.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memprof::backend {

// It may lack its NUL.
template <std::size_t N>
std::string bounded_text(const char (&array)[N]) {
  const std::string_view all(array, N);
  return std::string(all.substr(0, all.find('\0')));
}

}  // namespace memprof::backend
