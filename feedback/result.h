// result.h - a value, or what went wrong and where.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace memprof::feedback {

// Where and why reading failed.  text() is the part of a message after the
// program's name: "file:where: what; what to do".
struct Error {
  // enum Kind: what a caller may want to tell apart.
  enum class Kind {
    missing,      // no such file
    unreadable,   // no permission, a directory, an I/O error
    corrupt,      // not JSON, or not the shape that the schema asks for
    version,      // a format version that this build does not read
    unwritable,   // output cannot be created, written or renamed
    usage
  };
  Kind kind = Kind::corrupt;
  std::string file;
  std::string pointer;  // JSON pointer, "byte 1234", or empty
  std::string what;     // "expected an integer, found a string"

  std::string text() const;
};

// What a name of a profile may lead to. A pipe or a device may keep its reader waiting for
// ever, so it must be a descriptor that the command was given: /dev/stdin, <(...). A run
// does not follow links to the profile that it is added to.
enum class Input { file, descriptor_too, no_link };

template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const Error& error() const { return error_; }

 private:
  std::optional<T> value_;
  Error error_;
};

struct Nothing {};
using Status = Result<Nothing>;

}  // namespace memprof::feedback
