// ranks.h - what the ranks of an MPI program say to each other, as texts of any length.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memprof::mpi {

// MPI from here to the end of its life.  An error of MPI itself ends all ranks, with
// MPI's message.
class Ranks {
 public:
  Ranks(int* argc, char*** argv);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Each of these is called by all ranks.
  std::vector<std::uint64_t> all(std::uint64_t own) const;  // by rank
  std::string from(int root, std::string text) const;       // ROOT's text

  // Between two ranks.
  void send(int to, const std::string& text) const;
  std::string receive(int from) const;

  [[noreturn]] void abort(const std::string& why) const;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace memprof::mpi
