// ranks.cc - what the ranks of an MPI program say to each other, as texts of any length.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/mpi/ranks.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <cstdio>

namespace memprof::mpi {
namespace {

// MPI's counts are ints: longer texts go in pieces.
constexpr std::uint64_t k_piece = std::uint64_t(1) << 30;

// Calls FN (start, bytes) for each piece of TEXT.
template <typename Fn>
void for_each_piece(std::string& text, Fn fn) {
  for (std::uint64_t at = 0; at < text.size(); at += k_piece)
    fn(text.data() + at, int(std::min(k_piece, text.size() - at)));
}

}  // namespace

Ranks::Ranks(int* argc, char*** argv) {
  // Threads read files; only the first one speaks.
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Ranks::~Ranks() { MPI_Finalize(); }

std::vector<std::uint64_t> Ranks::all(std::uint64_t own) const {
  std::vector<std::uint64_t> values(std::size_t(size_), 0);
  MPI_Allgather(&own, 1, MPI_UINT64_T, values.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  return values;
}

std::string Ranks::from(int root, std::string text) const {
  std::uint64_t length = text.size();
  MPI_Bcast(&length, 1, MPI_UINT64_T, root, MPI_COMM_WORLD);
  text.resize(length);
  for_each_piece(text, [&](char* at, int bytes) {
    MPI_Bcast(at, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  });
  return text;
}

void Ranks::send(int to, const std::string& text) const {
  std::uint64_t length = text.size();
  MPI_Send(&length, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD);
  for_each_piece(const_cast<std::string&>(text), [&](char* at, int bytes) {
    MPI_Send(at, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  });
}

std::string Ranks::receive(int from) const {
  std::uint64_t length = 0;
  MPI_Recv(&length, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::string text(length, '\0');
  for_each_piece(text, [&](char* at, int bytes) {
    MPI_Recv(at, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  return text;
}

void Ranks::abort(const std::string& why) const {
  std::fprintf(stderr, "memprof-mpi-merge: %s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 2);
  __builtin_unreachable();
}

}  // namespace memprof::mpi
