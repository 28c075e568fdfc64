// message.h - a partial sum, or a text, as the bytes of an MPI message.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Numbers in 8 bytes, texts with their length before them; the sum as the JSON that
// `memprof merge' would write, because merging sums that were written and read gives the
// same bytes as merging them in memory (feedback/merge.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "consumers/cli/merge_files.h"

namespace memprof::mpi {

class Packer {
 public:
  void number(std::uint64_t value);
  void text(std::string_view value);
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Of what Packer has made; beyond its end there are zeros and empty texts.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number();
  std::string text();

 private:
  std::string_view bytes_;
};

std::string pack(cli::PartialSum sum);
// Null if it is not a message of pack().
std::optional<cli::PartialSum> unpack_sum(std::string_view bytes);

std::string pack(const cli::ReferenceInput& reference);
cli::ReferenceInput unpack_reference(std::string_view bytes);

}  // namespace memprof::mpi
